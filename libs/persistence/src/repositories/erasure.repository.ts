import type { ErasureStep } from '@candor/contracts';
import type { Transaction } from '../database.js';
import { decodeCursor, pageOfRows, type Page } from '../page-cursor.js';

/** Who a person is to the system: never a name in an event, only counts of what was found. */
export interface ErasedPerson {
  apiKeyIds: string[];
  authorNames: string[];
}

export interface ErasureRow {
  id: string;
  tenantId: string;
  kind: 'tenant' | 'person';
  subject: ErasedPerson | null;
  state: 'running' | 'done';
  step: ErasureStep;
  counts: Record<string, number>;
  requestId: string;
  requestedBy: string | null;
  /** The tenant of whoever asked. */
  requestedIn: string;
  createdAt: Date;
  endedAt: Date | null;
}

const COLUMNS = `r.id, r.tenant_id AS "tenantId", r.kind, r.subject, r.state, r.step, r.counts, r.request_id AS "requestId",
  r.requested_by AS "requestedBy", r.requested_in AS "requestedIn", r.created_at AS "createdAt", r.ended_at AS "endedAt"`;

/** What refuses a second erasure of a tenant. */
export const ONE_ERASURE_OF_A_TENANT = 'erasures_one_of_a_tenant';

export async function insertErasure(
  transaction: Transaction,
  erasure: Pick<
    ErasureRow,
    'id' | 'tenantId' | 'kind' | 'subject' | 'step' | 'requestId' | 'requestedBy' | 'requestedIn'
  >,
): Promise<ErasureRow> {
  const { id, tenantId, kind, subject, step, requestId, requestedBy, requestedIn } = erasure;
  const [row]: ErasureRow[] = await transaction.query(
    `INSERT INTO erasures AS r (id, tenant_id, kind, subject, step, request_id, requested_by, requested_in)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING ${COLUMNS}`,
    [id, tenantId, kind, subject && JSON.stringify(subject), step, requestId, requestedBy, requestedIn],
  );
  if (!row) throw new Error('the erasure was not stored');
  return row;
}

/** From now on nothing of the tenant answers: its keys are revoked, its sources are left alone. */
export async function closeTenant(transaction: Transaction, tenantId: string): Promise<void> {
  await transaction.query(`UPDATE tenants SET erased_at = coalesce(erased_at, now()) WHERE id = $1`, [tenantId]);
  await transaction.query(`UPDATE api_keys SET revoked_at = now() WHERE tenant_id = $1 AND revoked_at IS NULL`, [
    tenantId,
  ]);
  await transaction.query(
    `UPDATE source_connectors SET state = 'paused', credentials = NULL, credential_fields = '{}' WHERE tenant_id = $1`,
    [tenantId],
  );
  await transaction.query(
    `UPDATE sync_runs SET cancel_requested = true WHERE tenant_id = $1 AND state IN ('queued', 'running')`,
    [tenantId],
  );
}

/** Those of the tenant, or asked for in it. */
export async function findErasure(transaction: Transaction, tenantId: string, id: string): Promise<ErasureRow | null> {
  const rows: ErasureRow[] = await transaction.query(
    `SELECT ${COLUMNS} FROM erasures r WHERE r.id = $2 AND (r.tenant_id = $1 OR r.requested_in = $1)`,
    [tenantId, id],
  );
  return rows[0] ?? null;
}

export async function listErasures(
  transaction: Transaction,
  tenantId: string,
  page: { cursor?: string | undefined; limit: number },
): Promise<Page<ErasureRow>> {
  const after = decodeCursor(page.cursor);
  const rows: ErasureRow[] = await transaction.query(
    `SELECT ${COLUMNS} FROM erasures r WHERE (r.tenant_id = $1 OR r.requested_in = $1)
       AND ($2::timestamptz IS NULL OR (r.created_at, r.id) > ($2, $3::uuid))
     ORDER BY r.created_at, r.id LIMIT $4`,
    [tenantId, after?.at ?? null, after?.id ?? null, page.limit + 1],
  );
  return pageOfRows(rows, page.limit, (row) => ({ at: row.createdAt.toISOString(), id: row.id }));
}

/** One that isn't done and that nobody works at; whoever has it works on until the lease ends. */
export async function claimErasure(transaction: Transaction, leaseSeconds: number): Promise<ErasureRow | null> {
  const [rows]: [ErasureRow[], number] = await transaction.query(
    `UPDATE erasures r SET lease_until = now() + make_interval(secs => $1) WHERE r.id = (
       SELECT w.id FROM erasures w WHERE w.state = 'running' AND (w.lease_until IS NULL OR w.lease_until < now())
       ORDER BY w.created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING ${COLUMNS}`,
    [leaseSeconds],
  );
  return rows[0] ?? null;
}

/** Notes what went, and keeps the lease. */
export async function noteErased(
  transaction: Transaction,
  id: string,
  what: string,
  count: number,
  leaseSeconds: number,
): Promise<void> {
  await transaction.query(
    `UPDATE erasures SET counts = counts || CASE WHEN $3::integer = 0 THEN '{}'::jsonb
         ELSE jsonb_build_object($2::text, coalesce((counts->>$2)::integer, 0) + $3::integer) END,
       lease_until = now() + make_interval(secs => $4) WHERE id = $1`,
    [id, what, count, leaseSeconds],
  );
}

export async function setErasureStep(transaction: Transaction, id: string, step: ErasureStep): Promise<void> {
  await transaction.query(`UPDATE erasures SET step = $2 WHERE id = $1`, [id, step]);
}

/** Gives the lease back: somebody goes on soon. */
export async function releaseErasure(transaction: Transaction, id: string): Promise<void> {
  await transaction.query(`UPDATE erasures SET lease_until = NULL WHERE id = $1 AND state = 'running'`, [id]);
}

export async function readErasureCounts(transaction: Transaction, id: string): Promise<Record<string, number>> {
  const [row]: { counts: Record<string, number> }[] = await transaction.query(
    `SELECT counts FROM erasures WHERE id = $1`,
    [id],
  );
  return row?.counts ?? {};
}

/** The names of the indices that the tenant's generations have. */
export async function listGenerationAddresses(transaction: Transaction, tenantId: string): Promise<string[]> {
  const rows: { name: string }[] = await transaction.query(
    `SELECT name FROM generations WHERE tenant_id = $1 AND name <> '' ORDER BY name`,
    [tenantId],
  );
  return rows.map(({ name }) => name);
}

/** Its subject isn't kept. False when somebody else has ended it. */
export async function endErasure(transaction: Transaction, id: string): Promise<boolean> {
  const [, ended]: [unknown, number] = await transaction.query(
    `UPDATE erasures SET state = 'done', ended_at = now(), subject = NULL, lease_until = NULL
     WHERE id = $1 AND state = 'running'`,
    [id],
  );
  return ended === 1;
}

/** The row stays for the audit trail, without what names anybody; it says how long the trail stays. */
export async function blankTenant(transaction: Transaction, tenantId: string): Promise<void> {
  await transaction.query(
    `UPDATE tenants SET name = 'Erased tenant', retention = ${TRAIL_RETENTION}, external_models = false WHERE id = $1`,
    [tenantId],
  );
}

/** What was asked, with its salt: the events and the seal stay. At most so many; how many. */
export async function eraseAuditTexts(
  transaction: Transaction,
  { tenantId, apiKeyIds = null, before = null }: AuditTexts,
  limit: number,
): Promise<number> {
  const [, erased]: [unknown, number] = await transaction.query(
    `UPDATE audit_events SET erasable = NULL, erasable_salt = NULL
     WHERE ctid = ANY (ARRAY(SELECT e.ctid FROM audit_events e WHERE ${AUDIT_TEXTS} LIMIT $4))`,
    [tenantId, apiKeyIds, before, limit],
  );
  return erased;
}

export async function countAuditTexts(
  transaction: Transaction,
  { tenantId, apiKeyIds = null, before = null }: AuditTexts,
): Promise<number> {
  const [row]: { events: number }[] = await transaction.query(
    `SELECT count(*)::integer AS events FROM audit_events e WHERE ${AUDIT_TEXTS}`,
    [tenantId, apiKeyIds, before],
  );
  return row?.events ?? 0;
}

/** Of a tenant that is erased only its audit events are left, for as long as they were to be kept. */
export const TRAIL_RETENTION = `CASE WHEN retention ? 'auditEvents'
  THEN jsonb_build_object('auditEvents', retention->'auditEvents') ELSE '{}' END`;

export interface AuditTexts {
  tenantId: string;
  /** Absent = everybody's. */
  apiKeyIds?: readonly string[] | null;
  /** Absent = of all times. */
  before?: Date | null;
}
const AUDIT_TEXTS = `e.tenant_id = $1 AND e.erasable IS NOT NULL AND ($2::uuid[] IS NULL OR e.actor_api_key_id = ANY ($2))
  AND ($3::timestamptz IS NULL OR e.created_at < $3)`;
