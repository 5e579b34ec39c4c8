import { createHash } from 'node:crypto';
import { v4 as randomUuid } from 'uuid';
import { In } from 'typeorm';
import type { GenerationState } from '@candor/contracts';
import type { Transaction } from '../database.js';
import { GenerationEntity, type GenerationRecipe } from '../entities/generation.entity.js';

/** Every index that a change of an item has to reach. */
export const WRITABLE_STATES: readonly GenerationState[] = ['building', 'ready', 'live', 'previous'];
/** Every state in which the index may still exist. */
export const KEPT_STATES: readonly GenerationState[] = [...WRITABLE_STATES, 'retiring', 'failed'];

export interface NewGeneration {
  pipelineFingerprint: string;
  /** Absent in tests that have no model. */
  recipe?: GenerationRecipe;
  chunking?: string;
  /** Default `g<number>-<fingerprint>`. */
  nameOf?: (number: number) => string;
}

/** Changes of which generations there are take turns within a tenant. */
export async function lockGenerations(transaction: Transaction, tenantId: string): Promise<void> {
  await transaction.query(`SELECT pg_advisory_xact_lock(hashtextextended('generations:' || $1, 0))`, [tenantId]);
}

/** The tenant's live generation; made with the given recipe when it has none. */
export async function ensureLiveGeneration(
  transaction: Transaction,
  tenantId: string,
  recipe: NewGeneration,
): Promise<GenerationEntity> {
  const found = await findLiveGeneration(transaction, tenantId);
  if (found) return found;
  await lockGenerations(transaction, tenantId);
  const number = await nextNumber(transaction, tenantId);
  const nameOf = recipe.nameOf ?? ((n: number) => `g${n}-${recipe.pipelineFingerprint.slice(0, 8)}`);
  await transaction.query(
    `INSERT INTO generations (id, tenant_id, number, name, status, pipeline_fingerprint, recipe, chunking, built_at,
       promoted_at)
     SELECT $1, $2, $3, $4, 'live', $5, $6, $7, now(), now()
     WHERE NOT EXISTS (SELECT 1 FROM generations WHERE tenant_id = $2 AND status = 'live')`,
    [
      randomUuid(),
      tenantId,
      number,
      nameOf(number),
      recipe.pipelineFingerprint,
      recipe.recipe ? JSON.stringify(recipe.recipe) : null,
      recipe.chunking ?? '',
    ],
  );
  return transaction.findOneByOrFail(GenerationEntity, { tenantId, status: 'live' });
}

/** Only under `lockGenerations`. */
export async function nextNumber(transaction: Transaction, tenantId: string): Promise<number> {
  const [row]: { next: number }[] = await transaction.query(
    'SELECT coalesce(max(number), 0) + 1 AS next FROM generations WHERE tenant_id = $1',
    [tenantId],
  );
  return row?.next ?? 1;
}

export function findLiveGeneration(transaction: Transaction, tenantId: string): Promise<GenerationEntity | null> {
  return transaction.findOneBy(GenerationEntity, { tenantId, status: 'live' });
}

export function findGeneration(
  transaction: Transaction,
  tenantId: string,
  id: string,
): Promise<GenerationEntity | null> {
  return transaction.findOneBy(GenerationEntity, { tenantId, id });
}

/** Those whose index a change has to reach, the live one first; builds that have no index yet are left out. */
export async function listGenerationsIn(
  transaction: Transaction,
  tenantId: string,
  states: readonly GenerationState[],
): Promise<GenerationEntity[]> {
  const rows = await transaction
    .createQueryBuilder(GenerationEntity, 'g')
    .where('g.tenantId = :tenantId AND g.status IN (:...states)', { tenantId, states })
    .orderBy('g.number')
    .getMany();
  return rows
    .filter((row) => row.pipelineFingerprint !== '')
    .sort((left, right) => Number(right.status === 'live') - Number(left.status === 'live'));
}

/** Of all tenants, in pages by id. */
export function listLiveGenerations(
  transaction: Transaction,
  { after, limit }: { after: string | null; limit: number },
): Promise<GenerationEntity[]> {
  const query = transaction
    .createQueryBuilder(GenerationEntity, 'g')
    .where(`g.status = 'live'`)
    .orderBy('g.id')
    .limit(limit);
  if (after !== null) query.andWhere('g.id > :after', { after });
  return query.getMany();
}

/** The build that is under way or waits to be promoted; there is one at most. */
export function findPendingGeneration(transaction: Transaction, tenantId: string): Promise<GenerationEntity | null> {
  return transaction.findOneBy(GenerationEntity, { tenantId, status: In(['building', 'ready']) });
}

/** SHA-256 (hex) of the multiset of live (item, version, content hash); equal corpora have equal fingerprints. */
export function corpusFingerprintOf(generation: Pick<GenerationEntity, 'corpusSum' | 'itemCount'>): string {
  return createHash('sha256').update(`${generation.itemCount}:${generation.corpusSum}`).digest('hex');
}

/** Recipes of live generations, each once; null = one that is older than this record. */
export async function listLiveRecipes(
  transaction: Transaction,
): Promise<{ pipelineFingerprint: string; recipe: GenerationRecipe | null; tenants: number }[]> {
  const rows: { pipeline_fingerprint: string; recipe: GenerationRecipe | null; tenants: string }[] =
    await transaction.query(
      `SELECT pipeline_fingerprint, recipe, count(*) AS tenants FROM generations
       WHERE status IN ('live', 'previous') GROUP BY pipeline_fingerprint, recipe`,
    );
  return rows.map((row) => ({
    pipelineFingerprint: row.pipeline_fingerprint,
    recipe: row.recipe,
    tenants: Number(row.tenants),
  }));
}

/** Generations made before recipes were kept, by the program that is running now. */
export async function adoptRecipe(
  transaction: Transaction,
  fingerprint: string,
  recipe: GenerationRecipe,
): Promise<void> {
  await transaction.query(`UPDATE generations SET recipe = $2 WHERE recipe IS NULL AND pipeline_fingerprint = $1`, [
    fingerprint,
    JSON.stringify(recipe),
  ]);
}

/** What a worker is configured with; the last one to say so counts. */
export async function saveConfiguredRecipe(
  transaction: Transaction,
  fingerprint: string,
  recipe: GenerationRecipe,
): Promise<void> {
  await transaction.query(
    `INSERT INTO configured_recipes (fingerprint, recipe) VALUES ($1, $2)
     ON CONFLICT (fingerprint) DO UPDATE SET configured_at = now(), recipe = excluded.recipe`,
    [fingerprint, JSON.stringify(recipe)],
  );
}

export async function findConfiguredRecipe(
  transaction: Transaction,
): Promise<{ fingerprint: string; recipe: GenerationRecipe } | null> {
  const [row]: { fingerprint: string; recipe: GenerationRecipe }[] = await transaction.query(
    'SELECT fingerprint, recipe FROM configured_recipes ORDER BY configured_at DESC, fingerprint LIMIT 1',
  );
  return row ?? null;
}

/** Recipes of live generations other than the given one. */
export async function listForeignFingerprints(transaction: Transaction, fingerprint: string): Promise<string[]> {
  const rows: { pipeline_fingerprint: string }[] = await transaction.query(
    `SELECT DISTINCT pipeline_fingerprint FROM generations WHERE status = 'live' AND pipeline_fingerprint <> $1`,
    [fingerprint],
  );
  return rows.map((row) => row.pipeline_fingerprint);
}
