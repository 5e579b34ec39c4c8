import { v4 as randomUuid } from 'uuid';
import type { SourceProvider, SourceState } from '@candor/contracts';
import type { Transaction } from '../database.js';
import { decodeCursor, pageOfRows, type Page } from '../page-cursor.js';
import { PERMITTED_ITEM, visibilityParameters } from '../visibility.js';
import type { EncryptedCredentials } from './source-credentials.repository.js';

/** What `last_check` holds; `id` is the check that was asked for last. */
export interface StoredCheck {
  id: string;
  status: 'ok' | 'rejected' | 'unavailable' | 'pending';
  account: string | null;
  error: { type: string; message: string } | null;
  checkedAt: string | null;
}

export interface SourceConnector {
  id: string;
  tenantId: string;
  provider: SourceProvider;
  name: string;
  settings: Record<string, unknown>;
  /** Names of the fields that are set, and the key that they are encrypted with. */
  credentialFields: string[];
  credentialsKeyId: string | null;
  syncEveryMinutes: number | null;
  reconcileEveryMinutes: number | null;
  state: SourceState;
  lastCheck: StoredCheck | null;
  lastSuccessAt: Date | null;
  lastReconciledAt: Date | null;
  lastError: { type: string; message: string; at: Date } | null;
  nextRunAt: Date | null;
  nextReconcileAt: Date | null;
  /** Something was left out that only a listing from the beginning finds again. */
  wantsFull: boolean;
  removalTotal: number | null;
  createdAt: Date;
  updatedAt: Date;
}

/** As shown: with what its items and runs say. */
export interface SourceOverview extends SourceConnector {
  activeRunId: string | null;
  items: { total: number; withheld: number; failed: number };
  /** Items that are not purged yet. */
  itemsRemaining: number;
}

/** Whose sources: a key that is limited to providers sees those of no other. */
export interface SourceViewer {
  tenantId: string;
  /** null = every provider. */
  providers: readonly string[] | null;
  /** Whose items are counted; default and null = everybody's. */
  principals?: string[] | null;
}

interface SourceRow {
  id: string;
  tenant_id: string;
  provider: SourceProvider;
  name: string;
  settings: Record<string, unknown>;
  credential_fields: string[];
  credentials_key_id: string | null;
  sync_every_minutes: number | null;
  reconcile_every_minutes: number | null;
  state: SourceState;
  last_check: StoredCheck | null;
  last_success_at: Date | null;
  last_reconciled_at: Date | null;
  last_error_type: string | null;
  last_error_message: string | null;
  last_error_at: Date | null;
  next_run_at: Date | null;
  next_reconcile_at: Date | null;
  wants_full: boolean;
  removal_total: number | null;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = `s.id, s.tenant_id, s.provider, s.name, s.settings, s.credential_fields, s.credentials_key_id,
  s.sync_every_minutes, s.reconcile_every_minutes, s.state, s.last_check, s.last_success_at, s.last_reconciled_at,
  s.last_error_type, s.last_error_message, s.last_error_at, s.next_run_at, s.next_reconcile_at, s.wants_full, s.removal_total,
  s.created_at, s.updated_at`;

export interface NewSource {
  provider: SourceProvider;
  name: string;
  settings: Record<string, unknown>;
  credentialFields: string[];
  syncEveryMinutes: number | null;
  reconcileEveryMinutes: number | null;
}

/** `encrypt` gets the new id: a ciphertext is bound to its row. */
export async function insertSource(
  transaction: Transaction,
  tenantId: string,
  source: NewSource,
  encrypt: (sourceId: string) => EncryptedCredentials,
): Promise<string> {
  const id = randomUuid();
  const { keyId, ciphertext } = encrypt(id);
  await transaction.query(
    `INSERT INTO source_connectors (id, tenant_id, provider, name, settings, credential_fields, credentials_key_id,
       credentials, sync_every_minutes, reconcile_every_minutes, next_run_at, next_reconcile_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::integer, $10::integer,
       now() + make_interval(mins => $9::integer), now() + make_interval(mins => $10::integer))`,
    [
      id,
      tenantId,
      source.provider,
      source.name,
      JSON.stringify(source.settings),
      source.credentialFields,
      keyId,
      ciphertext,
      source.syncEveryMinutes,
      source.reconcileEveryMinutes,
    ],
  );
  return id;
}

export interface SourceChange {
  name?: string | undefined;
  state?: 'active' | 'paused' | undefined;
  settings?: Record<string, unknown> | undefined;
  syncEveryMinutes?: number | null | undefined;
  reconcileEveryMinutes?: number | null | undefined;
}

/** Changed settings forget the cursor: what they newly cover is only found by a listing from the beginning. */
export async function updateSource(transaction: Transaction, id: string, change: SourceChange): Promise<void> {
  const { name, state, settings, syncEveryMinutes, reconcileEveryMinutes } = change;
  await transaction.query(
    `UPDATE source_connectors SET name = coalesce($2, name), state = coalesce($3, state),
       settings = coalesce($4::jsonb, settings),
       cursor = CASE WHEN $4::jsonb IS NULL THEN cursor END, wants_full = wants_full OR $4::jsonb IS NOT NULL,
       sync_every_minutes = CASE WHEN $5 THEN $6::integer ELSE sync_every_minutes END,
       next_run_at = CASE WHEN $5 THEN now() + make_interval(mins => $6::integer) ELSE next_run_at END,
       reconcile_every_minutes = CASE WHEN $7 THEN $8::integer ELSE reconcile_every_minutes END,
       next_reconcile_at = CASE WHEN $7 THEN now() + make_interval(mins => $8::integer) ELSE next_reconcile_at END,
       updated_at = now()
     WHERE id = $1`,
    [
      id,
      name ?? null,
      state ?? null,
      settings === undefined ? null : JSON.stringify(settings),
      syncEveryMinutes !== undefined,
      syncEveryMinutes ?? null,
      reconcileEveryMinutes !== undefined,
      reconcileEveryMinutes ?? null,
    ],
  );
}

/** Null when absent or another tenant's or provider's. `lock`: nobody changes or removes it before the commit. */
export async function findSource(
  transaction: Transaction,
  viewer: SourceViewer,
  id: string,
  options: { lock?: boolean } = {},
): Promise<SourceConnector | null> {
  const rows: SourceRow[] = await transaction.query(
    `SELECT ${COLUMNS} FROM source_connectors s WHERE s.id = $1 AND s.tenant_id = $2
       AND ($3::text[] IS NULL OR s.provider = ANY($3)) ${options.lock ? 'FOR UPDATE OF s' : ''}`,
    [id, viewer.tenantId, viewer.providers],
  );
  return rows[0] ? toSource(rows[0]) : null;
}

/** For senders that have no tenant of their own to name: events, schedules. */
export async function findSourceById(transaction: Transaction, id: string): Promise<SourceConnector | null> {
  const rows: SourceRow[] = await transaction.query(`SELECT ${COLUMNS} FROM source_connectors s WHERE s.id = $1`, [id]);
  return rows[0] ? toSource(rows[0]) : null;
}

export async function findSourceOverview(
  transaction: Transaction,
  viewer: SourceViewer,
  id: string,
): Promise<SourceOverview | null> {
  const source = await findSource(transaction, viewer, id);
  return source ? ((await withOverview(transaction, viewer, [source]))[0] ?? null) : null;
}

/** Removed sources are left out. */
export async function listSources(
  transaction: Transaction,
  viewer: SourceViewer,
  page: { cursor?: string | undefined; limit: number },
): Promise<Page<SourceOverview>> {
  const after = decodeCursor(page.cursor);
  const rows: SourceRow[] = await transaction.query(
    `SELECT ${COLUMNS} FROM source_connectors s WHERE s.tenant_id = $1 AND s.state <> 'deleted'
       AND ($2::text[] IS NULL OR s.provider = ANY($2))
       AND ($3::timestamptz IS NULL OR (s.created_at, s.id) > ($3::timestamptz, $4::uuid))
     ORDER BY s.created_at, s.id LIMIT $5`,
    [viewer.tenantId, viewer.providers, after?.at ?? null, after?.id ?? null, page.limit + 1],
  );
  const found = pageOfRows(rows.map(toSource), page.limit, (row) => ({ at: row.createdAt.toISOString(), id: row.id }));
  return { ...found, rows: await withOverview(transaction, viewer, found.rows) };
}

/** Counts are of the items that the viewer may see. */
async function withOverview(
  transaction: Transaction,
  viewer: SourceViewer,
  sources: SourceConnector[],
): Promise<SourceOverview[]> {
  if (sources.length === 0) return [];
  const ids = sources.map(({ id }) => id);
  const principals = viewer.principals ?? null;
  const counts: { id: string; total: string; withheld: string; failed: string; remaining: string }[] =
    await transaction.query(
      `SELECT i.connector_id AS id, count(*) FILTER (WHERE i.deleted_at IS NULL) AS total,
         count(*) FILTER (WHERE i.deleted_at IS NULL AND i.access_mode = 'unknown') AS withheld,
         count(*) FILTER (WHERE i.deleted_at IS NULL AND v.state = 'failed') AS failed,
         count(*) FILTER (WHERE i.purged_at IS NULL) AS remaining
       FROM source_items i LEFT JOIN item_versions v ON v.item_id = i.id AND v.version = i.latest_version
       WHERE ${PERMITTED_ITEM} AND i.connector_id = ANY($4::uuid[]) AND i.purged_at IS NULL GROUP BY i.connector_id`,
      [...visibilityParameters({ tenantId: viewer.tenantId, providers: null, principals }), ids],
    );
  const runs: { id: string; source_id: string }[] = await transaction.query(
    `SELECT id, source_id FROM sync_runs WHERE source_id = ANY($1::uuid[]) AND state IN ('queued', 'running')`,
    [ids],
  );
  const countOf = new Map(counts.map((row) => [row.id, row]));
  const runOf = new Map(runs.map((row) => [row.source_id, row.id]));
  return sources.map((source) => {
    const row = countOf.get(source.id);
    return {
      ...source,
      // It counts all items there were.
      removalTotal: principals === null ? source.removalTotal : null,
      activeRunId: runOf.get(source.id) ?? null,
      items: {
        total: Number(row?.total ?? 0),
        withheld: Number(row?.withheld ?? 0),
        failed: Number(row?.failed ?? 0),
      },
      itemsRemaining: Number(row?.remaining ?? 0),
    };
  });
}

export async function beginCheck(transaction: Transaction, sourceId: string): Promise<string> {
  const id = randomUuid();
  const check: StoredCheck = { id, status: 'pending', account: null, error: null, checkedAt: null };
  await transaction.query('UPDATE source_connectors SET last_check = $2 WHERE id = $1', [
    sourceId,
    JSON.stringify(check),
  ]);
  return id;
}

/** Which of these ids are sources of the tenant, removed ones included: their items are written by their syncs alone. */
export async function findSourcesAmong(
  transaction: Transaction,
  tenantId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows: { id: string }[] = await transaction.query(
    'SELECT id FROM source_connectors WHERE tenant_id = $1 AND id = ANY($2::uuid[])',
    [tenantId, ids],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Nothing happens when a later check was asked for meanwhile. */
export async function completeCheck(transaction: Transaction, sourceId: string, check: StoredCheck): Promise<void> {
  await transaction.query(`UPDATE source_connectors SET last_check = $2 WHERE id = $1 AND last_check->>'id' = $3`, [
    sourceId,
    JSON.stringify(check),
    check.id,
  ]);
}

function toSource(row: SourceRow): SourceConnector {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    provider: row.provider,
    name: row.name,
    settings: row.settings,
    credentialFields: row.credential_fields,
    credentialsKeyId: row.credentials_key_id,
    syncEveryMinutes: row.sync_every_minutes,
    reconcileEveryMinutes: row.reconcile_every_minutes,
    state: row.state,
    lastCheck: row.last_check,
    lastSuccessAt: row.last_success_at,
    lastReconciledAt: row.last_reconciled_at,
    lastError:
      row.last_error_type === null || row.last_error_at === null
        ? null
        : { type: row.last_error_type, message: row.last_error_message ?? '', at: row.last_error_at },
    nextRunAt: row.next_run_at,
    nextReconcileAt: row.next_reconcile_at,
    wantsFull: row.wants_full,
    removalTotal: row.removal_total,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
