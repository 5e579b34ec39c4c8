import { v4 as randomUuid } from 'uuid';
import type { AuditAction, AuditOutcome, FeedbackRating } from '@candor/contracts';
import type { Transaction } from '../database.js';

/** Requests that asked something, and so can be rated. */
const ASKING: readonly AuditAction[] = [
  'reason.answer',
  'reasoning.query',
  'context.retrieve',
  'search.query',
  'navigation.search',
];

export interface AskedRequest {
  action: AuditAction;
  outcome: AuditOutcome;
  metadata: Record<string, unknown>;
  /** The key that asked saw a part of the tenant only. */
  isRestricted: boolean;
}

/** The end of a request of this tenant that asked something; null when there is none. */
export async function findAskedRequest(
  transaction: Transaction,
  tenantId: string,
  requestId: string,
): Promise<AskedRequest | null> {
  const rows: AskedRequest[] = await transaction.query(
    // Events that don't say so yet: by what the key may see now, and restricted when the key is gone.
    `SELECT e.action, e.outcome, e.metadata, coalesce((e.metadata->>'callerIsRestricted')::boolean,
       k.id IS NULL OR k.allowed_providers IS NOT NULL OR k.principals IS NOT NULL) AS "isRestricted"
     FROM audit_events e LEFT JOIN api_keys k ON k.id = e.actor_api_key_id
     WHERE e.tenant_id = $1 AND e.request_id = $2 AND e.action = ANY($3::text[]) ORDER BY e.sequence DESC LIMIT 1`,
    [tenantId, requestId, ASKING],
  );
  return rows[0] ?? null;
}

export interface NewFeedback {
  tenantId: string;
  requestId: string;
  apiKeyId: string;
  rating: FeedbackRating;
  note: string | null;
  answerable: boolean | null;
}

export interface FeedbackRow extends NewFeedback {
  id: string;
  createdAt: Date;
}

/** What a key says of a request; its second word replaces the first. */
export async function saveFeedback(transaction: Transaction, feedback: NewFeedback): Promise<FeedbackRow> {
  const [row]: { id: string; created_at: Date }[] = await transaction.query(
    `INSERT INTO feedback (id, tenant_id, request_id, api_key_id, rating, note, answerable, corpus_size)
     VALUES ($1, $2, $3, $4, $5, $6, $7,
       (SELECT g.item_count FROM generations g WHERE g.tenant_id = $2 AND g.status = 'live'))
     ON CONFLICT (tenant_id, request_id, api_key_id) DO UPDATE SET rating = excluded.rating, note = excluded.note,
       answerable = excluded.answerable, corpus_size = excluded.corpus_size, created_at = now()
     RETURNING id, created_at`,
    [
      randomUuid(),
      feedback.tenantId,
      feedback.requestId,
      feedback.apiKeyId,
      feedback.rating,
      feedback.note,
      feedback.answerable,
    ],
  );
  if (!row) throw new Error('feedback was not stored');
  return { ...feedback, id: row.id, createdAt: row.created_at };
}

export interface LabelledQuery {
  query: string;
  answerable: boolean;
}

/**
 * Questions that feedback has labelled, as far as their text was kept in the audit trail, each once; those that callers
 * disagree about are left out. A label holds as long as a calibration does: that nothing answers until the corpus has
 * grown by more than `growthBound`, that something does until it has shrunk as much.
 */
export async function listLabelledQueries(
  transaction: Transaction,
  tenantId: string,
  { limit, growthBound }: { limit: number; growthBound: number },
): Promise<LabelledQuery[]> {
  return transaction.query(
    `SELECT l.query, bool_and(l.answerable) AS answerable FROM (
       SELECT f.answerable, f.created_at, (SELECT trim(e.erasable->>'query') FROM audit_events e
         WHERE e.tenant_id = f.tenant_id AND e.request_id = f.request_id AND e.action = ANY($2::text[])
         ORDER BY e.sequence DESC LIMIT 1) AS query
       FROM feedback f JOIN generations g ON g.tenant_id = f.tenant_id AND g.status = 'live'
       WHERE f.tenant_id = $1 AND f.answerable IS NOT NULL
         AND CASE WHEN f.answerable THEN g.item_count >= f.corpus_size * (1 - $4::numeric)
           ELSE g.item_count <= f.corpus_size * (1 + $4::numeric) END) l
     WHERE l.query <> '' GROUP BY l.query HAVING bool_and(l.answerable) = bool_or(l.answerable)
     ORDER BY max(l.created_at) DESC, l.query LIMIT $3`,
    [tenantId, ASKING, limit, growthBound],
  );
}
