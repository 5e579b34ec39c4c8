import type { Transaction } from '../database.js';
import { decodeCursor, pageOfRows, type Page } from '../page-cursor.js';

export interface CalibrationRow {
  /** As the engine made it; its own schema reads it. */
  document: unknown;
  createdAt: Date;
}

/** The same scores give the same id: saying it again changes nothing but its age. */
export async function saveCalibration(
  transaction: Transaction,
  tenantId: string,
  { id, generationId, document }: { id: string; generationId: string; document: object },
): Promise<void> {
  await transaction.query(
    `INSERT INTO calibrations (id, tenant_id, generation_id, document) VALUES ($2, $1, $3, $4)
     ON CONFLICT (tenant_id, id) DO UPDATE SET document = excluded.document, created_at = now(), alarmed_at = NULL`,
    [tenantId, id, generationId, JSON.stringify(document)],
  );
}

/** Newest first. */
export async function listCalibrations(
  transaction: Transaction,
  tenantId: string,
  filter: { cursor?: string | undefined; limit: number },
): Promise<Page<CalibrationRow>> {
  const after = decodeCursor(filter.cursor);
  const rows: { id: string; document: unknown; created_at: Date; key: string }[] = await transaction.query(
    `SELECT c.document, c.created_at, c.key FROM (
       SELECT *, (md5(id))::uuid AS key FROM calibrations WHERE tenant_id = $1) c
     WHERE $2::timestamptz IS NULL OR (c.created_at, c.key) < ($2, $3::uuid)
     ORDER BY c.created_at DESC, c.key DESC LIMIT $4`,
    [tenantId, after?.at ?? null, after?.id ?? null, filter.limit + 1],
  );
  const page = pageOfRows(rows, filter.limit, (row) => ({ at: row.created_at.toISOString(), id: row.key }));
  return { ...page, rows: page.rows.map(({ document, created_at: createdAt }) => ({ document, createdAt })) };
}

/** The newest one of a generation; null when there is none. */
export async function findNewestCalibration(
  transaction: Transaction,
  tenantId: string,
  generationId: string,
): Promise<CalibrationRow | null> {
  const rows: CalibrationRow[] = await transaction.query(
    `SELECT document, created_at AS "createdAt" FROM calibrations WHERE tenant_id = $1 AND generation_id = $2
     ORDER BY created_at DESC, id LIMIT 1`,
    [tenantId, generationId],
  );
  return rows[0] ?? null;
}

export interface OutgrownCalibration {
  tenantId: string;
  calibrationId: string;
  generationId: string;
  corpusSize: number;
  calibratedSize: number;
}

/**
 * Newest certified calibrations of live generations whose corpus has used up more than `share` of the growth that they
 * allow. Each is returned once.
 */
export async function takeOutgrownCalibrations(
  transaction: Transaction,
  share: number,
): Promise<OutgrownCalibration[]> {
  const [rows]: [OutgrownCalibration[], number] = await transaction.query(
    `UPDATE calibrations c SET alarmed_at = now() FROM generations g
     WHERE g.tenant_id = c.tenant_id AND g.id = c.generation_id AND g.status = 'live' AND c.alarmed_at IS NULL
       AND (c.document->>'certified')::boolean
       AND g.item_count > (c.document->>'corpusSize')::numeric * (1 + $1 * (c.document->>'growthBound')::numeric)
       AND NOT EXISTS (SELECT 1 FROM calibrations n WHERE n.tenant_id = c.tenant_id
         AND n.generation_id = c.generation_id AND n.created_at > c.created_at)
     RETURNING c.tenant_id AS "tenantId", c.id AS "calibrationId", c.generation_id AS "generationId",
       g.item_count AS "corpusSize", (c.document->>'corpusSize')::integer AS "calibratedSize"`,
    [share],
  );
  return rows;
}

/** What holds of a live generation's scores. `outgrowing`: certified, and the alarm is up. */
export const CALIBRATION_STANDINGS = ['certified', 'outgrowing', 'stale', 'uncertified', 'missing'] as const;
export type CalibrationStanding = (typeof CALIBRATION_STANDINGS)[number];

/** Live generations by what holds of their newest calibration; those without a count are left out. */
export async function countCalibrationStandings(
  transaction: Transaction,
  alarmShare: number,
): Promise<Map<CalibrationStanding, number>> {
  const rows: { standing: CalibrationStanding; count: number }[] = await transaction.query(
    `SELECT CASE WHEN c.document IS NULL THEN 'missing'
         WHEN NOT (c.document->>'certified')::boolean THEN 'uncertified'
         WHEN c.document->>'pipelineFingerprint' <> g.pipeline_fingerprint THEN 'stale'
         WHEN g.item_count > c.size * (1 + c.bound) THEN 'stale'
         WHEN g.item_count > c.size AND g.item_count >= c.size * (1 + $1 * c.bound) THEN 'outgrowing'
         ELSE 'certified' END AS standing, count(*)::integer AS count
     FROM generations g LEFT JOIN LATERAL (
       SELECT n.document, (n.document->>'corpusSize')::numeric AS size, (n.document->>'growthBound')::numeric AS bound
       FROM calibrations n WHERE n.tenant_id = g.tenant_id AND n.generation_id = g.id
       ORDER BY n.created_at DESC, n.id LIMIT 1) c ON true
     WHERE g.status = 'live' GROUP BY 1`,
    [alarmShare],
  );
  return new Map(rows.map(({ standing, count }) => [standing, count]));
}
