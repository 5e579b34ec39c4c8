import { v4 as randomUuid } from 'uuid';
import type { ProposalState } from '@candor/contracts';
import type { Transaction } from '../database.js';
import { decodeCursor, pageOfRows, type Page } from '../page-cursor.js';
import { VISIBLE_ITEM, visibilityParameters, type Visibility } from '../visibility.js';

/** One side of a proposal, in the words of its source. */
export interface ProposalClaim {
  chunkId: string;
  itemId: string;
  version: number;
  quotation: string;
}

export interface NewProposal {
  /** The engine's id of the finding: it is proposed once, also after it was rejected, in whatever generation. */
  id: string;
  generationId: string;
  kind: string;
  subject: string;
  explanation: string;
  confidence: number;
  claims: readonly [ProposalClaim, ProposalClaim];
}

export interface ProposalRow {
  id: string;
  generationId: string;
  kind: string;
  state: ProposalState;
  subject: string;
  confidence: number;
  claims: [ProposalClaim, ProposalClaim];
  titles: [string, string];
  dates: [Date | null, Date | null];
  reviewedAt: Date | null;
  reviewedBy: string | null;
  note: string | null;
  createdAt: Date;
  /** Both sides are still in the versions that it was found in. */
  current: boolean;
}

/** Stores what is new; how many that were. */
export async function saveProposals(
  transaction: Transaction,
  tenantId: string,
  proposals: readonly NewProposal[],
): Promise<number> {
  if (proposals.length === 0) return 0;
  const rows = proposals.map(({ claims, ...proposal }) => ({
    ...proposal,
    claims,
    firstItem: claims[0].itemId,
    firstVersion: claims[0].version,
    secondItem: claims[1].itemId,
    secondVersion: claims[1].version,
  }));
  const stored: unknown[] = await transaction.query(
    `INSERT INTO relation_proposals (id, tenant_id, generation_id, kind, subject, explanation, confidence, claims,
       first_item_id, first_version, second_item_id, second_version)
     SELECT d.id, $1, d."generationId", d.kind, d.subject, d.explanation, d.confidence, d.claims,
       d."firstItem", d."firstVersion", d."secondItem", d."secondVersion"
     FROM jsonb_to_recordset($2::jsonb) AS d(id uuid, "generationId" uuid, kind text, subject text,
       explanation text, confidence double precision, claims jsonb, "firstItem" uuid, "firstVersion" integer,
       "secondItem" uuid, "secondVersion" integer)
     ON CONFLICT (id) DO NOTHING RETURNING id`,
    [tenantId, JSON.stringify(rows)],
  );
  return stored.length;
}

/** All there are between two of the items, reviewed or not. */
export async function listProposalIds(
  transaction: Transaction,
  tenantId: string,
  itemIds: readonly string[],
): Promise<string[]> {
  const rows: { id: string }[] = await transaction.query(
    `SELECT id FROM relation_proposals
     WHERE tenant_id = $1 AND first_item_id = ANY($2::uuid[]) AND second_item_id = ANY($2::uuid[])`,
    [tenantId, itemIds],
  );
  return rows.map(({ id }) => id);
}

/** Drops what nobody reviewed and what rests on a version that is no longer the live one. */
export async function dropOutdatedProposals(transaction: Transaction, tenantId: string): Promise<void> {
  await transaction.query(
    `DELETE FROM relation_proposals p USING source_items i
     WHERE p.tenant_id = $1 AND p.state = 'pending' AND i.tenant_id = $1
       AND ((i.id = p.first_item_id AND i.live_version IS DISTINCT FROM p.first_version)
         OR (i.id = p.second_item_id AND i.live_version IS DISTINCT FROM p.second_version))`,
    [tenantId],
  );
}

const seen = (alias: string, rule: string): string => rule.replace(/\bi\./g, `${alias}.`);
/** Both sides are the viewer's to see: what is hidden must not show by what it contradicts. */
const VISIBLE_PROPOSALS = `FROM relation_proposals p
  JOIN source_items a ON a.id = p.first_item_id AND ${seen('a', VISIBLE_ITEM)}
  JOIN source_items b ON b.id = p.second_item_id AND ${seen('b', VISIBLE_ITEM)}`;
const COLUMNS = `p.id, p.generation_id AS "generationId", p.kind, p.state, p.subject, p.confidence, p.claims,
  jsonb_build_array(a.title, b.title) AS titles,
  ARRAY[coalesce(a.source_updated_at, a.source_created_at), coalesce(b.source_updated_at, b.source_created_at)] AS dates,
  a.live_version IS NOT DISTINCT FROM p.first_version AND b.live_version IS NOT DISTINCT FROM p.second_version AS current,
  p.reviewed_at AS "reviewedAt", p.reviewed_by AS "reviewedBy", p.note, p.created_at AS "createdAt"`;

/** Newest first. */
export async function listProposals(
  transaction: Transaction,
  viewer: Visibility,
  filter: { state?: ProposalState | undefined; cursor?: string | undefined; limit: number },
): Promise<Page<ProposalRow>> {
  const after = decodeCursor(filter.cursor);
  const rows: ProposalRow[] = await transaction.query(
    `SELECT ${COLUMNS} ${VISIBLE_PROPOSALS}
     WHERE p.tenant_id = $1 AND ($4::text IS NULL OR p.state = $4)
       AND ($5::timestamptz IS NULL OR (p.created_at, p.id) < ($5, $6::uuid))
     ORDER BY p.created_at DESC, p.id DESC LIMIT $7`,
    [...visibilityParameters(viewer), filter.state ?? null, after?.at ?? null, after?.id ?? null, filter.limit + 1],
  );
  return pageOfRows(rows, filter.limit, (row) => ({ at: row.createdAt.toISOString(), id: row.id }));
}

/**
 * Locked with its items until the transaction ends; null when absent or not for this viewer. Items first and in the order of
 * their ids, as everybody locks heads, so that no two wait for each other crosswise. Whoever may not see it locks nothing.
 */
export async function lockProposal(
  transaction: Transaction,
  viewer: Visibility,
  id: string,
): Promise<ProposalRow | null> {
  await transaction.query(
    `SELECT i.id FROM source_items i WHERE i.tenant_id = $1 AND i.id IN (
       SELECT unnest(ARRAY[p.first_item_id, p.second_item_id]) ${VISIBLE_PROPOSALS} WHERE p.tenant_id = $1 AND p.id = $4)
     ORDER BY i.id FOR SHARE`,
    [...visibilityParameters(viewer), id],
  );
  const rows: ProposalRow[] = await transaction.query(
    `SELECT ${COLUMNS} ${VISIBLE_PROPOSALS} WHERE p.tenant_id = $1 AND p.id = $4 FOR UPDATE OF p`,
    [...visibilityParameters(viewer), id],
  );
  return rows[0] ?? null;
}

/** Records the review; an approval writes a relation of its own, and changes no item. */
export async function reviewProposal(
  transaction: Transaction,
  tenantId: string,
  proposal: Pick<ProposalRow, 'id' | 'claims'>,
  review: { state: 'approved' | 'rejected'; relation: string; apiKeyId: string; note: string | null },
): Promise<void> {
  await transaction.query(
    `UPDATE relation_proposals SET state = $3, reviewed_at = now(), reviewed_by = $4, note = $5
     WHERE tenant_id = $1 AND id = $2`,
    [tenantId, proposal.id, review.state, review.apiKeyId, review.note],
  );
  if (review.state === 'rejected') return;
  const [from, to] = proposal.claims;
  await transaction.query(
    `INSERT INTO reviewed_relations (id, tenant_id, kind, from_item_id, to_item_id, proposal_id, reviewer_api_key_id, note)
     VALUES ($2, $1, $3, $4, $5, $6, $7, $8)`,
    [tenantId, randomUuid(), review.relation, from.itemId, to.itemId, proposal.id, review.apiKeyId, review.note],
  );
}

export interface ScanTask {
  tenantId: string;
  generationId: string;
  pipelineFingerprint: string;
  corpusSum: string;
  chunking: string;
}

export interface ScanRest {
  /** Seconds that nothing has come in for: between two batches of a large import nothing waits for a moment, either. */
  quietSeconds: number;
  /** Seconds since the last scan, or since the generation was made, after which a tenant that is never quiet is taken too. */
  longestSeconds: number;
}

/**
 * A tenant whose corpus changed since it was last looked through, and in which nothing is being ingested now, nor was of late;
 * locked until the transaction ends, so that two workers never take the same.
 *
 * @param except tenants that are not to be taken again: their last scan failed.
 */
export async function takeScanTask(
  transaction: Transaction,
  except: readonly string[] = [],
  { quietSeconds, longestSeconds }: ScanRest = { quietSeconds: 0, longestSeconds: 0 },
): Promise<ScanTask | null> {
  const rows: ScanTask[] = await transaction.query(
    // The lock is asked for row by row, or all that wait would be taken at once.
    `SELECT * FROM (SELECT g.tenant_id AS "tenantId", g.id AS "generationId", g.pipeline_fingerprint AS "pipelineFingerprint",
       g.corpus_sum AS "corpusSum", g.chunking
     FROM generations g LEFT JOIN proposal_scans s ON s.tenant_id = g.tenant_id
     WHERE g.status = 'live' AND g.tenant_id <> ALL ($1::uuid[]) AND g.item_count > 1 AND g.corpus_sum IS DISTINCT FROM s.corpus_sum
       AND NOT EXISTS (SELECT 1 FROM item_versions v WHERE v.tenant_id = g.tenant_id
         AND v.state IN ('accepted', 'extracting', 'indexing'))
       AND (coalesce(s.scanned_at, g.created_at) <= now() - make_interval(secs => $3)
         OR NOT EXISTS (SELECT 1 FROM item_versions v WHERE v.tenant_id = g.tenant_id AND v.state = 'indexed'
           AND v.state_at > now() - make_interval(secs => $2)))
     ORDER BY s.scanned_at NULLS FIRST, g.tenant_id OFFSET 0) waiting
     WHERE pg_try_advisory_xact_lock(hashtextextended('proposals:' || "tenantId", 0)) LIMIT 1`,
    [except, quietSeconds, longestSeconds],
  );
  return rows[0] ?? null;
}

export async function finishScan(transaction: Transaction, task: ScanTask): Promise<void> {
  await transaction.query(
    `INSERT INTO proposal_scans (tenant_id, corpus_sum) VALUES ($1, $2)
     ON CONFLICT (tenant_id) DO UPDATE SET corpus_sum = excluded.corpus_sum, scanned_at = now()`,
    [task.tenantId, task.corpusSum],
  );
}

export interface ScannedPassage {
  chunkId: string;
  itemId: string;
  version: number;
  title: string;
  text: string;
  sourceDate: Date | null;
  validFrom: Date | null;
  validUntil: Date | null;
}

/** Paragraphs of the newest items in their live version, within bounds; large texts are left out. What is around a paragraph would say the same again. */
export async function listScannedPassages(
  transaction: Transaction,
  { tenantId, chunking }: ScanTask,
  { mostItems, mostBytes }: { mostItems: number; mostBytes: number },
): Promise<ScannedPassage[]> {
  const rows: (Omit<ScannedPassage, 'text'> & { start: number; end: number; whole: string | null })[] =
    await transaction.query(
      `SELECT c.id AS "chunkId", i.id AS "itemId", v.version, v.title, c.start_index AS start, c.end_index AS "end",
       CASE WHEN row_number() OVER (PARTITION BY i.id ORDER BY c.ordinal) = 1 THEN v.text END AS whole, coalesce(i.source_updated_at, i.source_created_at) AS "sourceDate",
       i.valid_from AS "validFrom", i.valid_until AS "validUntil"
     FROM (SELECT * FROM source_items p WHERE p.tenant_id = $1 AND p.deleted_at IS NULL AND p.live_version IS NOT NULL
       ORDER BY p.updated_at DESC, p.id LIMIT $3) i
     JOIN item_versions v ON v.item_id = i.id AND v.version = i.live_version AND octet_length(v.text) <= $4
     JOIN chunks c ON c.item_id = v.item_id AND c.version = v.version AND c.chunking = $2 AND c.level = 'paragraph'
     ORDER BY i.updated_at DESC, i.id, c.ordinal`,
      [tenantId, chunking, mostItems, mostBytes],
    );
  // Only an item's first row brings its text: with each of its passages it would fill the memory.
  const texts = new Map(rows.flatMap(({ itemId, whole }) => (whole === null ? [] : [[itemId, whole] as const])));
  return rows.map(({ whole: _first, start, end, ...row }) => ({
    ...row,
    text: texts.get(row.itemId)?.slice(start, end) ?? '',
  }));
}
