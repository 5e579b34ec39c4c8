import { createHash } from 'node:crypto';
import { v4 as randomUuid } from 'uuid';
import type { Transaction } from '../database.js';
import { GenerationEntity } from '../entities/generation.entity.js';

/** The tenant's live generation; made with the given recipe when it has none. */
export async function ensureLiveGeneration(
  transaction: Transaction,
  tenantId: string,
  recipe: { pipelineFingerprint: string },
): Promise<GenerationEntity> {
  const found = await findLiveGeneration(transaction, tenantId);
  if (found) return found;
  await transaction.query(
    `INSERT INTO generations (id, tenant_id, name, status, pipeline_fingerprint)
     VALUES ($1, $2, $3, 'live', $4) ON CONFLICT DO NOTHING`,
    [randomUuid(), tenantId, `g1-${recipe.pipelineFingerprint.slice(0, 8)}`, recipe.pipelineFingerprint],
  );
  return transaction.findOneByOrFail(GenerationEntity, { tenantId, status: 'live' });
}

export function findLiveGeneration(transaction: Transaction, tenantId: string): Promise<GenerationEntity | null> {
  return transaction.findOneBy(GenerationEntity, { tenantId, status: 'live' });
}

/** SHA-256 (hex) of the multiset of live (item, version, content hash); equal corpora have equal fingerprints. */
export function corpusFingerprintOf(generation: Pick<GenerationEntity, 'corpusSum' | 'itemCount'>): string {
  return createHash('sha256').update(`${generation.itemCount}:${generation.corpusSum}`).digest('hex');
}

/** Recipes of live generations other than the given one. */
export async function listForeignFingerprints(transaction: Transaction, fingerprint: string): Promise<string[]> {
  const rows: { pipeline_fingerprint: string }[] = await transaction.query(
    `SELECT DISTINCT pipeline_fingerprint FROM generations WHERE status = 'live' AND pipeline_fingerprint <> $1`,
    [fingerprint],
  );
  return rows.map((row) => row.pipeline_fingerprint);
}
