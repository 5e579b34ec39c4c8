import type { ItemJobPayload, ItemState } from '@candor/contracts';
import type { Transaction } from '../database.js';
import { In } from 'typeorm';
import { ItemVersionEntity, SourceItemEntity, type StoredBlock } from '../entities/source-item.entity.js';
import { saveReferences } from './item-relation.repository.js';

/** Terminal states are never left by a late job. */
export const TERMINAL_STATES: readonly ItemState[] = ['indexed', 'skipped', 'superseded', 'failed', 'deleted'];
/** Longest a stage may stay silent before the sweeper looks after it, seconds. */
const STAGE_LEASE_SECONDS = 30;
/** Longest content that a start brings along, bytes: very many jobs start at once. */
const MAX_BROUGHT_BYTES = 64 * 1024;

export type ItemStage = 'extracting' | 'indexing';

export type StageStart =
  /** Without its content, `version` has to be loaded by itself: see `loadVersion`. */
  | { kind: 'proceed'; head: SourceItemEntity; version: ItemVersionEntity; hasContent: boolean }
  /** Nothing to do, and why; the job ends as skipped. */
  | { kind: 'skip'; reason: 'superseded' | 'already_done' | 'deleted' | 'unknown_item' };

/**
 * Enters a stage with each job, or says why there is nothing to do: idempotent by (item, version, stage). Results are in
 * the order of the jobs. Takes no lock on heads: what changes after the look is seen again by `completeIndexings`.
 */
export async function startStages(
  transaction: Transaction,
  jobs: readonly ItemJobPayload[],
  stage: ItemStage,
): Promise<StageStart[]> {
  const heads = await loadHeads(transaction, jobs);
  const versions = await loadVersions(transaction, jobs, stage);
  const starts = jobs.map((job): StageStart => {
    const head = heads.get(job.itemId);
    return decideStart(job, stage, head?.tenantId === job.tenantId ? head : undefined, versions.get(keyOf(job)));
  });
  const entering = jobs.filter((_job, index) => starts[index]?.kind === 'proceed');
  const entered = await enterStage(transaction, entering, stage);
  await endAsSuperseded(
    transaction,
    jobs.filter((_job, index) => endsNow(starts[index], versions.get(keyOf(jobs[index]!)))),
  );
  return starts.map((start, index) =>
    // Ended between the look and the change.
    start.kind === 'proceed' && !entered.has(keyOf(jobs[index]!)) ? { kind: 'skip', reason: 'already_done' } : start,
  );
}

function decideStart(
  job: ItemJobPayload,
  stage: ItemStage,
  head: SourceItemEntity | undefined,
  version: StartingVersion | undefined,
): StageStart {
  if (!head || !version) return { kind: 'skip', reason: 'unknown_item' };
  // Before anything else: a run that died between its index write and its commit may have left chunks of a deleted item.
  if (head.deletedAt) return { kind: 'skip', reason: 'deleted' };
  const { state } = version.entity;
  const isReadHere = state === 'accepted' && version.hasBody;
  if (TERMINAL_STATES.includes(state)) return { kind: 'skip', reason: 'already_done' };
  if (head.latestVersion > job.version) return { kind: 'skip', reason: 'superseded' };
  // An extract job that comes again after its successor was enqueued has nothing left to do; an index job from before
  // a retry finds a file back at its first stage. Text that was pushed has no other stage than this.
  const isReady = stage === 'indexing' ? state === 'indexing' || isReadHere : state !== 'indexing';
  if (!isReady) return { kind: 'skip', reason: 'already_done' };
  return { kind: 'proceed', head, version: version.entity, hasContent: version.hasContent };
}

function endsNow(start: StageStart | undefined, version: StartingVersion | undefined): boolean {
  return (
    start?.kind === 'skip' &&
    (start.reason === 'superseded' || start.reason === 'deleted') &&
    version !== undefined &&
    !TERMINAL_STATES.includes(version.entity.state)
  );
}

/** What is read from a version. */
export interface ExtractedText {
  text: string;
  blocks: StoredBlock[];
  /** Addresses that the text names; see `findLinks`. */
  links?: readonly string[];
}

export interface Extraction extends ExtractedText {
  job: ItemJobPayload;
}

/**
 * True for each extraction that was stored; false when the version had left the stage meanwhile (deleted, or done by
 * another run of the job).
 */
export async function saveExtractions(
  transaction: Transaction,
  extractions: readonly Extraction[],
): Promise<boolean[]> {
  const [rows]: [{ item_id: string; version: number }[], number] = await transaction.query(
    `UPDATE item_versions v SET text = d.text, blocks = d.blocks, state = 'indexing', state_at = now(),
       error_type = NULL, error_message = NULL, lease_until = now() + make_interval(secs => $6)
     FROM unnest($1::uuid[], $2::integer[], $3::uuid[], $4::text[], $5::jsonb[])
       AS d(item_id, version, tenant_id, text, blocks)
     WHERE v.item_id = d.item_id AND v.version = d.version AND v.tenant_id = d.tenant_id AND v.state = 'extracting'
     RETURNING v.item_id, v.version`,
    [
      ...identify(extractions.map(({ job }) => job)),
      extractions.map(({ text }) => text),
      extractions.map(({ blocks }) => JSON.stringify(blocks)),
      STAGE_LEASE_SECONDS,
    ],
  );
  const saved = new Set(rows.map(rowKey));
  await saveReferences(
    transaction,
    extractions.flatMap(({ job, links = [] }) => (saved.has(keyOf(job)) ? [{ ...job, links }] : [])),
  );
  return extractions.map(({ job }) => saved.has(keyOf(job)));
}

/** Ends versions that are no longer wanted, unless they have ended already, and the ingestions that wait for them. */
export async function endAsSuperseded(transaction: Transaction, jobs: readonly ItemJobPayload[]): Promise<void> {
  if (jobs.length === 0) return;
  const [itemIds, versions] = identify(jobs);
  const [ended]: [{ item_id: string; version: number }[], number] = await transaction.query(
    `UPDATE item_versions v SET state = 'superseded', state_at = now(), error_type = NULL, error_message = NULL
     FROM unnest($1::uuid[], $2::integer[]) AS d(item_id, version)
     WHERE v.item_id = d.item_id AND v.version = d.version AND v.state <> ALL($3::text[])
     RETURNING v.item_id, v.version`,
    [itemIds, versions, TERMINAL_STATES],
  );
  await endIngestionItems(transaction, ended, 'superseded');
}

/**
 * What an ingestion says of an unfinished item is its version's own state; only the end is written down with it, since
 * a version may start anew after it.
 */
export async function endIngestionItems(
  transaction: Transaction,
  versions: readonly { item_id: string; version: number }[],
  state: ItemState,
  error: { type: string; message: string } | null = null,
): Promise<void> {
  if (versions.length === 0) return;
  await transaction.query(
    `UPDATE ingestion_items n SET state = $3, state_at = now(), error_type = $4, error_message = $5
     FROM unnest($1::uuid[], $2::integer[]) AS d(item_id, version)
     WHERE n.item_id = d.item_id AND n.version = d.version
       AND n.state NOT IN ('skipped', 'superseded', 'indexed', 'deleted')`,
    [
      versions.map((row) => row.item_id),
      versions.map((row) => row.version),
      state,
      error?.type ?? null,
      error?.message ?? null,
    ],
  );
}

/** Item ids, versions and tenant ids, each as one array parameter. */
export function identify(jobs: readonly ItemJobPayload[]): [string[], number[], string[]] {
  return [jobs.map((job) => job.itemId), jobs.map((job) => job.version), jobs.map((job) => job.tenantId)];
}

export function keyOf({ itemId, version }: { itemId: string; version: number }): string {
  return `${itemId}:${version}`;
}

function rowKey(row: { item_id: string; version: number }): string {
  return keyOf({ itemId: row.item_id, version: row.version });
}

async function loadHeads(
  transaction: Transaction,
  jobs: readonly ItemJobPayload[],
): Promise<Map<string, SourceItemEntity>> {
  const heads = await transaction.findBy(SourceItemEntity, { id: In([...new Set(jobs.map((job) => job.itemId))]) });
  return new Map(heads.map((head) => [head.id, head]));
}

interface StartingVersion {
  entity: ItemVersionEntity;
  hasContent: boolean;
  hasBody: boolean;
}

/** What each stage reads of the content, and its size. */
const CONTENT: Record<ItemStage, { columns: Partial<Record<'body' | 'text' | 'blocks', string>>; size: string }> = {
  extracting: { columns: { body: 'v.body' }, size: 'coalesce(octet_length(v.body), 0)' },
  indexing: {
    columns: { text: 'v.text', blocks: 'v.blocks', body: 'CASE WHEN v.text IS NULL THEN v.body END' },
    size: 'coalesce(octet_length(v.text), octet_length(v.body), 0) + coalesce(pg_column_size(v.blocks), 0)',
  },
};
const FACTS = [
  'itemId',
  'version',
  'tenantId',
  'requestId',
  'state',
  'title',
  'mimeType',
  'contentHash',
  'recordedAt',
  'epoch',
] as const satisfies readonly (keyof ItemVersionEntity)[];

async function loadVersions(
  transaction: Transaction,
  jobs: readonly ItemJobPayload[],
  stage: ItemStage,
): Promise<Map<string, StartingVersion>> {
  const [itemIds, versions, tenantIds] = identify(jobs);
  const query = transaction
    .createQueryBuilder(ItemVersionEntity, 'v')
    .select(FACTS.map((name) => `v.${name}`))
    .where(
      `(v.item_id, v.version, v.tenant_id) IN
       (SELECT * FROM unnest(CAST(:itemIds AS uuid[]), CAST(:versions AS integer[]), CAST(:tenantIds AS uuid[])))`,
      { itemIds, versions, tenantIds, most: MAX_BROUGHT_BYTES },
    );
  const { columns, size } = CONTENT[stage];
  query.addSelect(`${size} <= :most`, 'has_content').addSelect('v.body IS NOT NULL', 'has_body');
  for (const [name, value] of Object.entries(columns))
    query.addSelect(`CASE WHEN ${size} <= :most THEN ${value} END`, `the_${name}`);
  const { entities, raw } = await query.getRawAndEntities<Record<string, unknown>>();
  return new Map(
    entities.map((entity, index) => {
      const row = raw[index] ?? {};
      const content = Object.fromEntries(Object.keys(columns).map((name) => [name, row[`the_${name}`] ?? null]));
      const [hasContent, hasBody] = [row['has_content'] === true, row['has_body'] === true];
      return [keyOf(entity), { entity: Object.assign(entity, content), hasContent, hasBody }];
    }),
  );
}

/** The whole version; null when it is gone. */
export function loadVersion(transaction: Transaction, job: ItemJobPayload): Promise<ItemVersionEntity | null> {
  const { itemId, version, tenantId } = job;
  return transaction.findOneBy(ItemVersionEntity, { itemId, version, tenantId });
}

async function enterStage(
  transaction: Transaction,
  jobs: readonly ItemJobPayload[],
  stage: ItemStage,
): Promise<Set<string>> {
  if (jobs.length === 0) return new Set();
  const [itemIds, versions] = identify(jobs);
  const [rows]: [{ item_id: string; version: number }[], number] = await transaction.query(
    `UPDATE item_versions v SET state = $3, state_at = now(), error_type = NULL, error_message = NULL,
       lease_until = now() + make_interval(secs => $4)
     FROM unnest($1::uuid[], $2::integer[]) AS d(item_id, version)
     WHERE v.item_id = d.item_id AND v.version = d.version
       AND CASE WHEN $3 = 'indexing' THEN v.state = 'indexing' OR (v.state = 'accepted' AND v.body IS NOT NULL)
         ELSE v.state IN ('accepted', 'extracting') END
     RETURNING v.item_id, v.version`,
    [itemIds, versions, stage, STAGE_LEASE_SECONDS],
  );
  return new Set(rows.map(rowKey));
}
