import type { ChainBatch, ChainEvent, ChainLeaf } from '@candor/contracts';
import type { Transaction } from '../database.js';

/** Everything of an event, as the chain takes it. */
export const CHAIN_EVENT_COLUMNS = `e.id, e.tenant_id AS "tenantId", e.sequence::text AS sequence, e.request_id AS "requestId",
  e.action, e.outcome, e.actor_api_key_id AS "actorApiKeyId", e.actor_type AS "actorType", e.target_type AS "targetType",
  e.target_id AS "targetId", e.metadata, encode(e.erasable_digest, 'hex') AS "erasableDigest", e.erasable,
  encode(e.erasable_salt, 'hex') AS "erasableSalt", e.created_at AS "createdAt"`;

export type ChainEventRow = Omit<ChainEvent, 'createdAt'> & { createdAt: Date };

export function toChainEvent({ createdAt, ...event }: ChainEventRow): ChainEvent {
  return { ...event, createdAt: createdAt.toISOString() };
}

export interface SealingTenant {
  id: string;
  /** The horizon says nothing of it. */
  isBroken: boolean;
}

export interface SealingRound {
  tenants: SealingTenant[];
  /** Everything below it is sealed already; null = nothing is known, so that all events are looked at. */
  horizon: string | null;
  /** What the horizon becomes when every tenant of the round is sealed. */
  nextHorizon: string;
  serverId: string;
}

/** The tenants with events that may be unsealed. Transaction ids of another server (a restored dump) say nothing here. */
export async function beginSealingRound(transaction: Transaction): Promise<SealingRound> {
  const [state]: { serverId: string; horizon: string | null; nextHorizon: string }[] = await transaction.query(
    `SELECT c.system_identifier::text AS "serverId", s.horizon::text AS horizon,
       pg_snapshot_xmin(pg_current_snapshot())::text AS "nextHorizon"
     FROM pg_control_system() c LEFT JOIN audit_sealing s ON s.server_id = c.system_identifier::text`,
  );
  if (!state) throw new Error('the server says nothing of itself');
  const rows: SealingTenant[] = await transaction.query(
    `SELECT t.id, c.broken_since IS NOT NULL AS "isBroken"
     FROM (SELECT e.tenant_id AS id FROM audit_events e WHERE $1::xid8 IS NULL OR e.transaction_id >= $1::xid8
       UNION SELECT b.tenant_id FROM audit_chains b WHERE b.broken_since IS NOT NULL) t
     LEFT JOIN audit_chains c ON c.tenant_id = t.id`,
    [state.horizon],
  );
  return { ...state, tenants: rows };
}

/** The horizon goes on without the tenant: its events are looked for from the beginning until its chain is whole again. */
export async function markChainBroken(transaction: Transaction, tenantId: string): Promise<void> {
  await transaction.query(
    `INSERT INTO audit_chains AS c (tenant_id, broken_since) VALUES ($1, now())
     ON CONFLICT (tenant_id) DO UPDATE SET broken_since = coalesce(c.broken_since, excluded.broken_since)`,
    [tenantId],
  );
}

/** Once everything is sealed that the tenant has below the round's next horizon. */
export async function markChainWhole(transaction: Transaction, tenantId: string): Promise<void> {
  await transaction.query(`UPDATE audit_chains SET broken_since = NULL WHERE tenant_id = $1`, [tenantId]);
}

export async function endSealingRound(
  transaction: Transaction,
  { serverId, nextHorizon }: Pick<SealingRound, 'serverId' | 'nextHorizon'>,
): Promise<void> {
  await transaction.query(
    `INSERT INTO audit_sealing AS s (server_id, horizon) VALUES ($1, $2::xid8)
     ON CONFLICT (is_only) DO UPDATE SET server_id = excluded.server_id, horizon =
       CASE WHEN s.server_id = excluded.server_id THEN greatest(s.horizon, excluded.horizon) ELSE excluded.horizon END`,
    [serverId, nextHorizon],
  );
}

export interface ChainEnd {
  batches: number;
  headDigest: string;
}

/** Where the tenant's chain ends; null = nothing was ever sealed. */
export async function findChainEnd(transaction: Transaction, tenantId: string): Promise<ChainEnd | null> {
  const [end]: ChainEnd[] = await transaction.query(
    `SELECT batches, head_digest AS "headDigest" FROM audit_chains WHERE tenant_id = $1 AND batches > 0`,
    [tenantId],
  );
  return end ?? null;
}

/** Until the end of the transaction nobody else continues the tenant's chain. */
export async function lockChain(transaction: Transaction, tenantId: string): Promise<ChainEnd> {
  await transaction.query(`INSERT INTO audit_chains (tenant_id) VALUES ($1) ON CONFLICT DO NOTHING`, [tenantId]);
  const [end]: ChainEnd[] = await transaction.query(
    `SELECT batches, head_digest AS "headDigest" FROM audit_chains WHERE tenant_id = $1 FOR UPDATE`,
    [tenantId],
  );
  if (!end) throw new Error('the chain was not found');
  return end;
}

/**
 * The oldest events that are in no batch and that nothing can come before any more: every transaction up to theirs has
 * ended, or belongs to another server. An event whose transaction is still open keeps back those of later transactions.
 */
export async function listSealableEvents(
  transaction: Transaction,
  tenantId: string,
  horizon: string | null,
  limit: number,
): Promise<ChainEvent[]> {
  const rows: ChainEventRow[] = await transaction.query(
    `SELECT ${CHAIN_EVENT_COLUMNS} FROM audit_events e
     WHERE e.tenant_id = $1 AND ($2::xid8 IS NULL OR e.transaction_id >= $2::xid8)
       AND (e.transaction_id IS NULL OR e.transaction_id < pg_snapshot_xmin(pg_current_snapshot())
         OR e.transaction_id >= pg_snapshot_xmax(pg_current_snapshot()))
       AND NOT EXISTS (SELECT 1 FROM audit_leaves l WHERE l.event_id = e.id)
     ORDER BY e.sequence LIMIT $3`,
    [tenantId, horizon, limit],
  );
  return rows.map(toChainEvent);
}

/** Under `lockChain`. */
export async function insertBatch(transaction: Transaction, batch: ChainBatch): Promise<void> {
  const { tenantId } = batch;
  await transaction.query(
    `INSERT INTO audit_batches (tenant_id, batch, previous_digest, events, leaves_digest, sealed_at, key_id, digest, signature)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      tenantId,
      batch.batch,
      batch.previousDigest,
      batch.events,
      batch.leavesDigest,
      batch.sealedAt,
      batch.keyId,
      batch.digest,
      batch.signature,
    ],
  );
  await transaction.query(
    `INSERT INTO audit_leaves (event_id, tenant_id, batch, position, digest)
     SELECT l.id, $1, $2, l.position - 1, decode(l.digest, 'hex')
     FROM unnest($3::uuid[], $4::text[]) WITH ORDINALITY AS l(id, digest, position)`,
    [tenantId, batch.batch, batch.leaves.map(({ eventId }) => eventId), batch.leaves.map(({ digest }) => digest)],
  );
  await transaction.query(
    `UPDATE audit_chains SET batches = $2, head_digest = $3, sealed_events = sealed_events + $4 WHERE tenant_id = $1`,
    [tenantId, batch.batch, batch.digest, batch.events],
  );
}

const BATCH_COLUMNS = `b.tenant_id AS "tenantId", b.batch, b.previous_digest AS "previousDigest", b.events,
  b.leaves_digest AS "leavesDigest", b.sealed_at AS "sealedAt", b.key_id AS "keyId", b.digest, b.signature,
  b.expired_at AS "expiredAt"`;

type BatchRow = Omit<ChainBatch, 'sealedAt' | 'expiredAt' | 'leaves'> & { sealedAt: Date; expiredAt: Date | null };

const toBatch = ({ sealedAt, expiredAt, ...row }: BatchRow, leaves: ChainLeaf[]): ChainBatch => ({
  ...row,
  sealedAt: sealedAt.toISOString(),
  expiredAt: expiredAt?.toISOString() ?? null,
  leaves,
});

/** Without its leaves; null when there is none. */
export async function findBatch(
  transaction: Transaction,
  tenantId: string,
  batch: number | 'last',
): Promise<ChainBatch | null> {
  const [row]: BatchRow[] = await transaction.query(
    `SELECT ${BATCH_COLUMNS} FROM audit_batches b WHERE b.tenant_id = $1 AND ($2::integer IS NULL OR b.batch = $2)
     ORDER BY b.batch DESC LIMIT 1`,
    [tenantId, batch === 'last' ? null : batch],
  );
  return row ? toBatch(row, []) : null;
}

/** The last batch that retention removed the events of; null = none. */
export async function findLastExpired(
  transaction: Transaction,
  tenantId: string,
): Promise<Pick<ChainBatch, 'batch' | 'digest'> | null> {
  const [row]: Pick<ChainBatch, 'batch' | 'digest'>[] = await transaction.query(
    `SELECT b.batch, b.digest FROM audit_batches b WHERE b.tenant_id = $1 AND b.expired_at IS NOT NULL
     ORDER BY b.batch DESC LIMIT 1`,
    [tenantId],
  );
  return row ?? null;
}

export interface BatchContent {
  batch: ChainBatch;
  /** Those that are there, in the order of the leaves. */
  events: ChainEvent[];
}

/** The next batch from a number on, with its leaves and events. */
export async function readBatchFrom(
  transaction: Transaction,
  tenantId: string,
  from: number,
): Promise<BatchContent | null> {
  const [row]: BatchRow[] = await transaction.query(
    `SELECT ${BATCH_COLUMNS} FROM audit_batches b WHERE b.tenant_id = $1 AND b.batch >= $2 ORDER BY b.batch LIMIT 1`,
    [tenantId, from],
  );
  if (!row) return null;
  const leaves: ChainLeaf[] = await transaction.query(
    `SELECT l.event_id AS "eventId", encode(l.digest, 'hex') AS digest FROM audit_leaves l
     WHERE l.tenant_id = $1 AND l.batch = $2 ORDER BY l.position`,
    [tenantId, row.batch],
  );
  const events: ChainEventRow[] = await transaction.query(
    `SELECT ${CHAIN_EVENT_COLUMNS} FROM audit_leaves l JOIN audit_events e ON e.id = l.event_id AND e.tenant_id = l.tenant_id
     WHERE l.tenant_id = $1 AND l.batch = $2 ORDER BY l.position`,
    [tenantId, row.batch],
  );
  return { batch: toBatch(row, leaves), events: events.map(toChainEvent) };
}

/** Of the tenant's events that are in no batch up to that one, oldest first. */
export async function listUnsealedEvents(
  transaction: Transaction,
  tenantId: string,
  { toBatch, after, limit }: { toBatch: number; after: string | null; limit: number },
): Promise<ChainEvent[]> {
  const rows: ChainEventRow[] = await transaction.query(
    `SELECT ${CHAIN_EVENT_COLUMNS} FROM audit_events e
     WHERE e.tenant_id = $1 AND ($2::bigint IS NULL OR e.sequence > $2::bigint)
       AND NOT EXISTS (SELECT 1 FROM audit_leaves l WHERE l.event_id = e.id AND l.batch <= $4)
     ORDER BY e.sequence LIMIT $3`,
    [tenantId, after, limit, toBatch],
  );
  return rows.map(toChainEvent);
}

/**
 * Events in no batch whose transactions ended so long ago that they would be in one: put there by other ways than ours.
 * Of a chain that isn't continued none: its events wait.
 */
export async function listStrayEvents(transaction: Transaction, tenantId: string, limit: number): Promise<string[]> {
  const rows: { id: string }[] = await transaction.query(
    `SELECT e.id FROM audit_events e
     JOIN audit_sealing s ON s.server_id = (SELECT system_identifier::text FROM pg_control_system())
     WHERE e.tenant_id = $1 AND (e.transaction_id IS NULL OR e.transaction_id < s.horizon)
       AND NOT EXISTS (SELECT 1 FROM audit_leaves l WHERE l.event_id = e.id)
       AND NOT EXISTS (SELECT 1 FROM audit_chains c WHERE c.tenant_id = e.tenant_id AND c.broken_since IS NOT NULL)
     ORDER BY e.sequence LIMIT $2`,
    [tenantId, limit],
  );
  return rows.map(({ id }) => id);
}

/** Those that are not sealed yet, too: they are committed with the expiry itself. */
export async function listExpiryEvents(transaction: Transaction, tenantId: string): Promise<ChainEvent[]> {
  const rows: ChainEventRow[] = await transaction.query(
    `SELECT ${CHAIN_EVENT_COLUMNS} FROM audit_events e
     WHERE e.tenant_id = $1 AND e.action = 'audit.expire' ORDER BY e.sequence DESC LIMIT 100`,
    [tenantId],
  );
  return rows.map(toChainEvent);
}

/**
 * The records of erased texts. Those of retention go further each time: the furthest is all of them. They, too, are
 * committed with the erasure itself, sealed or not.
 */
export async function listErasureEvents(transaction: Transaction, tenantId: string): Promise<ChainEvent[]> {
  const rows: ChainEventRow[] = await transaction.query(
    `(SELECT ${CHAIN_EVENT_COLUMNS} FROM audit_events e
       WHERE e.tenant_id = $1 AND e.action = 'audit.erase' AND e.metadata->>'before' IS NULL)
     UNION ALL
     (SELECT ${CHAIN_EVENT_COLUMNS} FROM audit_events e
       WHERE e.tenant_id = $1 AND e.action = 'audit.erase' AND e.metadata->>'before' IS NOT NULL
       ORDER BY e.metadata->>'before' DESC LIMIT 1)`,
    [tenantId],
  );
  return rows.map(toChainEvent);
}

export interface ChainState {
  batches: number;
  sealedEvents: number;
  unsealedEvents: number;
  oldestUnsealedAt: Date | null;
  brokenSince: Date | null;
  expiredBatches: number;
}

export async function readChainState(transaction: Transaction, tenantId: string): Promise<ChainState> {
  const [state]: ChainState[] = await transaction.query(
    `SELECT coalesce(max(b.batch), 0) AS batches, coalesce(sum(b.events), 0)::integer AS "sealedEvents",
       count(b.expired_at)::integer AS "expiredBatches", u.events AS "unsealedEvents", u.oldest AS "oldestUnsealedAt",
       c.broken_since AS "brokenSince"
     FROM (SELECT count(*)::integer AS events, min(e.created_at) AS oldest FROM audit_events e
         LEFT JOIN audit_sealing s ON s.server_id = (SELECT system_identifier::text FROM pg_control_system())
         LEFT JOIN audit_chains c ON c.tenant_id = e.tenant_id
         WHERE e.tenant_id = $1 AND (s.horizon IS NULL OR e.transaction_id >= s.horizon OR c.broken_since IS NOT NULL)
           AND NOT EXISTS (SELECT 1 FROM audit_leaves l WHERE l.event_id = e.id)) u
     LEFT JOIN audit_batches b ON b.tenant_id = $1
     LEFT JOIN audit_chains c ON c.tenant_id = $1
     GROUP BY u.events, u.oldest, c.broken_since`,
    [tenantId],
  );
  if (!state) throw new Error('no state of the chain');
  return state;
}

export interface SealingBacklog {
  /** Of the chains that are continued; 0 = everything is sealed. */
  oldestUnsealedSeconds: number;
  continuedChains: number;
  brokenChains: number;
}

/** Of all tenants. */
export async function readSealingBacklog(transaction: Transaction): Promise<SealingBacklog> {
  const [state]: { horizon: string | null; continuedChains: number; brokenChains: number }[] = await transaction.query(
    `SELECT (SELECT s.horizon::text FROM audit_sealing s
         WHERE s.server_id = (SELECT system_identifier::text FROM pg_control_system())) AS horizon,
       count(*) FILTER (WHERE broken_since IS NULL)::integer AS "continuedChains",
       count(broken_since)::integer AS "brokenChains" FROM audit_chains`,
  );
  if (!state) throw new Error('no state of the chains');
  // By itself, so that the server sees that only the newest events are meant.
  const [oldest]: { seconds: number }[] = await transaction.query(
    `SELECT coalesce(greatest(extract(epoch FROM now() - min(e.created_at)), 0), 0)::double precision AS seconds
     FROM audit_events e WHERE ($1::xid8 IS NULL OR e.transaction_id >= $1::xid8)
       AND NOT EXISTS (SELECT 1 FROM audit_leaves l WHERE l.event_id = e.id)
       AND NOT EXISTS (SELECT 1 FROM audit_chains c WHERE c.tenant_id = e.tenant_id AND c.broken_since IS NOT NULL)`,
    [state.horizon],
  );
  const { continuedChains, brokenChains } = state;
  return { oldestUnsealedSeconds: oldest?.seconds ?? 0, continuedChains, brokenChains };
}

export interface EventSeal {
  eventId: string;
  batch: number;
  position: number;
  sealedAt: Date;
  keyId: string;
}

/** Of those events that are sealed. */
export async function findSeals(
  transaction: Transaction,
  tenantId: string,
  eventIds: readonly string[],
): Promise<Map<string, EventSeal>> {
  if (eventIds.length === 0) return new Map();
  const rows: EventSeal[] = await transaction.query(
    `SELECT l.event_id AS "eventId", l.batch, l.position, b.sealed_at AS "sealedAt", b.key_id AS "keyId"
     FROM audit_leaves l JOIN audit_batches b ON b.tenant_id = l.tenant_id AND b.batch = l.batch
     WHERE l.tenant_id = $1 AND l.event_id = ANY($2::uuid[])`,
    [tenantId, eventIds],
  );
  return new Map(rows.map((row) => [row.eventId, row]));
}

/** The public key that is known under this id, ours if there was none yet. */
export async function registerSigningKey(transaction: Transaction, keyId: string, publicKey: string): Promise<string> {
  await transaction.query(
    `INSERT INTO audit_signing_keys (key_id, public_key) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
    [keyId, publicKey],
  );
  const [row]: { publicKey: string }[] = await transaction.query(
    `SELECT public_key AS "publicKey" FROM audit_signing_keys WHERE key_id = $1`,
    [keyId],
  );
  return row?.publicKey ?? '';
}

export async function listSigningKeys(
  transaction: Transaction,
): Promise<{ keyId: string; publicKey: string; firstUsedAt: Date }[]> {
  return transaction.query(
    `SELECT key_id AS "keyId", public_key AS "publicKey", first_used_at AS "firstUsedAt"
     FROM audit_signing_keys ORDER BY first_used_at, key_id`,
  );
}
