import { createHash } from 'node:crypto';
import type { AppError, ItemJobPayload, ItemState } from '@candor/contracts';
import type { Transaction } from '../database.js';
import { ItemVersionEntity, SourceItemEntity, type StoredBlock } from '../entities/source-item.entity.js';

/** Terminal states are never left by a late job. */
const TERMINAL: readonly ItemState[] = ['indexed', 'skipped', 'superseded', 'failed', 'deleted'];
/** Longest a stage may stay silent before the sweeper looks after it, seconds. */
const STAGE_LEASE_SECONDS = 30;

export type StageStart =
  | { kind: 'proceed'; head: SourceItemEntity; version: ItemVersionEntity }
  /** Nothing to do, and why; the job ends as skipped. */
  | { kind: 'skip'; reason: 'superseded' | 'already_done' | 'deleted' | 'unknown_item' };

export interface NewChunk {
  id: string;
  ordinal: number;
  level: string;
  parentId: string | null;
  previousId: string | null;
  nextId: string | null;
  start: number;
  end: number;
  sectionPath: string[];
  headingText: string | null;
}

/** Enters a stage, or says why there is nothing to do: idempotent by (item, version, stage). */
export async function startStage(
  transaction: Transaction,
  job: ItemJobPayload,
  stage: 'extracting' | 'indexing',
): Promise<StageStart> {
  const head = await lockHead(transaction, job);
  const version = await transaction.findOneBy(ItemVersionEntity, { itemId: job.itemId, version: job.version });
  if (!head || !version) return { kind: 'skip', reason: 'unknown_item' };
  // Before anything else: a run that died between its index write and its commit may have left chunks of a deleted item.
  if (head.deletedAt && TERMINAL.includes(version.state)) return { kind: 'skip', reason: 'deleted' };
  if (TERMINAL.includes(version.state)) return { kind: 'skip', reason: 'already_done' };
  if (head.deletedAt || head.latestVersion > job.version) {
    await setState(transaction, job, 'superseded');
    return { kind: 'skip', reason: head.deletedAt ? 'deleted' : 'superseded' };
  }
  // An extract job that comes again after its successor was enqueued has nothing left to do; an index job from before
  // a retry finds the version back at its first stage.
  if ((stage === 'indexing') !== (version.state === 'indexing')) return { kind: 'skip', reason: 'already_done' };
  await setState(transaction, job, stage);
  return { kind: 'proceed', head, version };
}

/** False, and nothing stored, when the version has left the stage meanwhile (deleted, or done by another run of the job). */
export async function saveExtraction(
  transaction: Transaction,
  job: ItemJobPayload,
  extraction: { text: string; blocks: StoredBlock[] },
): Promise<boolean> {
  const result = await transaction.update(
    ItemVersionEntity,
    { itemId: job.itemId, version: job.version, tenantId: job.tenantId, state: 'extracting' },
    extraction,
  );
  if (result.affected !== 1) return false;
  await setState(transaction, job, 'indexing');
  return true;
}

export type Completion =
  | { kind: 'indexed'; metadataChanged: boolean; revision: number; previousVersion: number | null }
  /** Ended before; chunks of this version that were just written are leftovers unless it is the live one. */
  | { kind: 'already_done'; liveVersion: number | null }
  /** Deleted meanwhile: what was just written to the index must go again. */
  | { kind: 'deleted' };

/** Makes the version the live one: from the next query on it is what the item says. */
export async function completeIndexing(
  transaction: Transaction,
  job: ItemJobPayload,
  indexed: { chunks: readonly NewChunk[]; metadataHash: string; generationId: string },
): Promise<Completion> {
  const head = await lockHead(transaction, job);
  if (!head || head.deletedAt) {
    await setState(transaction, job, 'superseded');
    return { kind: 'deleted' };
  }
  const version = await transaction.findOneByOrFail(ItemVersionEntity, { itemId: job.itemId, version: job.version });
  if (TERMINAL.includes(version.state)) return { kind: 'already_done', liveVersion: head.liveVersion };
  if (head.liveVersion !== null && head.liveVersion > job.version) {
    await setState(transaction, job, 'superseded');
    return { kind: 'already_done', liveVersion: head.liveVersion };
  }
  await insertChunks(transaction, job, indexed.chunks);
  if (head.liveVersion !== null) {
    await transaction.update(
      ItemVersionEntity,
      { itemId: job.itemId, version: head.liveVersion },
      { supersededAt: version.recordedAt },
    );
  }
  const previous = head.liveVersion === null ? null : await corpusTerm(transaction, job.itemId, head.liveVersion);
  await transaction.query('UPDATE source_items SET live_version = $2, updated_at = now() WHERE id = $1', [
    job.itemId,
    job.version,
  ]);
  await setState(transaction, job, 'indexed');
  await addToCorpus(transaction, indexed.generationId, {
    plus: termOf(job.itemId, job.version, version.contentHash),
    minus: previous,
  });
  return {
    kind: 'indexed',
    metadataChanged: head.metadataHash !== indexed.metadataHash,
    revision: head.revision,
    previousVersion: head.liveVersion,
  };
}

export async function failVersion(transaction: Transaction, job: ItemJobPayload, error: AppError): Promise<boolean> {
  const version = await transaction.findOne(ItemVersionEntity, {
    where: { itemId: job.itemId, version: job.version, tenantId: job.tenantId },
    lock: { mode: 'pessimistic_write' },
  });
  if (!version || TERMINAL.includes(version.state)) return false;
  await setState(transaction, job, 'failed', { type: error.code, message: error.message });
  return true;
}

/** An accepted row of a version that is searchable already is one whose metadata alone changed. */
const WAITS_FOR_REFRESH = `state = 'accepted' AND EXISTS (SELECT 1 FROM item_versions v
  WHERE v.item_id = ingestion_items.item_id AND v.version = ingestion_items.version AND v.state = 'indexed')`;

/** Ends a metadata refresh for the request that asked for it. */
export async function completeRefresh(transaction: Transaction, job: ItemJobPayload): Promise<void> {
  await transaction.query(
    `UPDATE ingestion_items SET state = 'indexed', state_at = now()
     WHERE tenant_id = $1 AND request_id = $2 AND item_id = $3 AND ${WAITS_FOR_REFRESH}`,
    [job.tenantId, job.requestId, job.itemId],
  );
}

/** The request that asked for the refresh learns that it failed; the version itself stays searchable as it is. */
export async function failRefresh(transaction: Transaction, job: ItemJobPayload, error: AppError): Promise<void> {
  await transaction.query(
    `UPDATE ingestion_items SET state = 'failed', state_at = now(), error_type = $4, error_message = $5
     WHERE tenant_id = $1 AND request_id = $2 AND item_id = $3 AND ${WAITS_FOR_REFRESH}`,
    [job.tenantId, job.requestId, job.itemId, error.code, error.message],
  );
}

/** Tombstones the item; null when there is none that is not deleted yet. */
export async function tombstoneItem(
  transaction: Transaction,
  tenantId: string,
  itemId: string,
): Promise<SourceItemEntity | null> {
  const item = await transaction.findOne(SourceItemEntity, {
    where: { id: itemId, tenantId },
    lock: { mode: 'pessimistic_write' },
  });
  if (!item || item.deletedAt) return null;
  await transaction.query(
    'UPDATE source_items SET deleted_at = now(), revision = revision + 1, updated_at = now() WHERE id = $1',
    [itemId],
  );
  await transaction.query(
    `UPDATE item_versions SET state = 'superseded', state_at = now()
     WHERE item_id = $1 AND state IN ('accepted', 'extracting', 'indexing')`,
    [itemId],
  );
  await transaction.query(
    `UPDATE ingestion_items SET state = 'superseded', state_at = now()
     WHERE item_id = $1 AND state IN ('accepted', 'extracting', 'indexing')`,
    [itemId],
  );
  return transaction.findOneByOrFail(SourceItemEntity, { id: itemId });
}

/** Removes content for good once the index holds no chunk of the item; false when that was done before. */
export async function purgeItem(transaction: Transaction, job: ItemJobPayload, generationId: string): Promise<boolean> {
  const head = await lockHead(transaction, job);
  if (!head?.deletedAt || head.purgedAt) return false;
  if (head.liveVersion !== null) {
    const minus = await corpusTerm(transaction, job.itemId, head.liveVersion);
    await addToCorpus(transaction, generationId, { plus: null, minus });
  }
  await transaction.query('DELETE FROM chunks WHERE item_id = $1', [job.itemId]);
  await transaction.query('DELETE FROM collection_items WHERE item_id = $1', [job.itemId]);
  await transaction.query(
    `UPDATE item_versions SET state = 'deleted', state_at = now(), title = '', body = NULL, text = NULL, blocks = NULL
     WHERE item_id = $1`,
    [job.itemId],
  );
  await transaction.query(
    `UPDATE source_items SET purged_at = now(), live_version = NULL, title = '', url = NULL, author_name = NULL,
       metadata = '{}', tags = '{}', supersedes = '{}', access_policy = NULL, principals = '{}', updated_at = now() WHERE id = $1`,
    [job.itemId],
  );
  return true;
}

async function lockHead(transaction: Transaction, job: ItemJobPayload): Promise<SourceItemEntity | null> {
  return transaction.findOne(SourceItemEntity, {
    where: { id: job.itemId, tenantId: job.tenantId },
    lock: { mode: 'pessimistic_write' },
  });
}

async function setState(
  transaction: Transaction,
  job: ItemJobPayload,
  state: ItemState,
  error: { type: string; message: string } | null = null,
): Promise<void> {
  const parameters = [job.itemId, job.version, state, error?.type ?? null, error?.message ?? null];
  const [, changed]: [unknown[], number] = await transaction.query(
    `UPDATE item_versions SET state = $3, state_at = now(), error_type = $4, error_message = $5,
       lease_until = now() + make_interval(secs => $6)
     WHERE item_id = $1 AND version = $2 AND state <> ALL($7::text[])`,
    [...parameters, STAGE_LEASE_SECONDS, TERMINAL],
  );
  if (changed === 0) return;
  await transaction.query(
    `UPDATE ingestion_items SET state = $3, state_at = now(), error_type = $4, error_message = $5
     WHERE item_id = $1 AND version = $2 AND state NOT IN ('skipped', 'superseded', 'indexed', 'deleted')`,
    parameters,
  );
}

async function insertChunks(transaction: Transaction, job: ItemJobPayload, chunks: readonly NewChunk[]): Promise<void> {
  await transaction.query(
    `INSERT INTO chunks (id, tenant_id, item_id, version, ordinal, level, parent_id, previous_id, next_id,
       start_index, end_index, section_path, heading_text)
     SELECT d.id, $1, $2, $3, d.ordinal, d.level, d."parentId", d."previousId", d."nextId", d.start, d."end",
       d."sectionPath", d."headingText"
     FROM jsonb_to_recordset($4::jsonb) AS d(id uuid, ordinal integer, level text, "parentId" uuid, "previousId" uuid,
       "nextId" uuid, start integer, "end" integer, "sectionPath" text[], "headingText" text)
     ON CONFLICT (id) DO NOTHING`,
    [job.tenantId, job.itemId, job.version, JSON.stringify(chunks)],
  );
}

const CORPUS_MODULUS = 1n << 128n;

/** A version's share of the corpus fingerprint: 128 bits of SHA-256 over (item, version, content hash). */
function termOf(itemId: string, version: number, contentHash: string): bigint {
  const digest = createHash('sha256').update(`${itemId}:${version}:${contentHash}`).digest('hex');
  return BigInt(`0x${digest.slice(0, 32)}`);
}

async function corpusTerm(transaction: Transaction, itemId: string, version: number): Promise<bigint> {
  const found = await transaction.findOneByOrFail(ItemVersionEntity, { itemId, version });
  return termOf(itemId, version, found.contentHash);
}

async function addToCorpus(
  transaction: Transaction,
  generationId: string,
  change: { plus: bigint | null; minus: bigint | null },
): Promise<void> {
  const delta = ((change.plus ?? 0n) - (change.minus ?? 0n) + CORPUS_MODULUS) % CORPUS_MODULUS;
  const count = (change.plus === null ? 0 : 1) - (change.minus === null ? 0 : 1);
  await transaction.query(
    `UPDATE generations SET corpus_sum = mod(corpus_sum + $2::numeric, $3::numeric), item_count = item_count + $4
     WHERE id = $1`,
    [generationId, delta.toString(), CORPUS_MODULUS.toString(), count],
  );
}
