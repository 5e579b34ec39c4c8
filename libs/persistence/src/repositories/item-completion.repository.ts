import { createHash } from 'node:crypto';
import { AppError, type ItemJobPayload, type ItemState } from '@candor/contracts';
import type { Transaction } from '../database.js';
import { keepStep } from './generation-content.repository.js';
import { saveReferences } from './item-relation.repository.js';
import {
  endAsSuperseded,
  endIngestionItems,
  identify,
  keyOf,
  TERMINAL_STATES,
  type ExtractedText,
} from './item-stages.repository.js';

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
  /** `GenerationEntity.chunking` of the generation it was cut for; default ''. */
  chunking?: string;
}

export interface IndexedVersion {
  job: ItemJobPayload;
  chunks: readonly NewChunk[];
  /** The text, where the version had none until now. */
  extraction?: ExtractedText | undefined;
  /** The head's when its metadata was written to the index. */
  metadataHash: string;
  /** Generations whose index holds it now, the tenant's live one among them; their corpora follow. */
  generationIds: readonly string[];
  /** All that the writer knew of, also those that it could not write to. Default: `generationIds`. */
  knownIds?: readonly string[];
}

export type Completion =
  | { kind: 'indexed'; metadataChanged: boolean; revision: number; previousVersion: number | null }
  /** Ended before; chunks of this version that were just written are leftovers unless it is the live one. */
  | { kind: 'already_done'; live: { version: number; recordedAt: Date } | null }
  /** Deleted meanwhile: what was just written to the index must go again. */
  | { kind: 'deleted' };

interface HeadRow {
  id: string;
  tenant_id: string;
  deleted_at: Date | null;
  live_version: number | null;
  revision: number;
  metadata_hash: string;
}

interface VersionRow {
  item_id: string;
  version: number;
  state: ItemState;
  content_hash: string;
  recorded_at: Date;
}

/**
 * Makes the versions the live ones: from the next query on they are what their items say. In the order of the entries.
 *
 * @throws AppError GENERATION.CHANGED when a generation is live, or complete beside it, that a writer did not know of: write to that one too.
 */
export async function completeIndexings(
  transaction: Transaction,
  entries: readonly IndexedVersion[],
): Promise<Completion[]> {
  const itemIds = entries.map(({ job }) => job.itemId);
  const twin = itemIds.findIndex((itemId, index) => itemIds.indexOf(itemId) < index);
  if (twin < 0) return completeDistinct(transaction, entries);
  // Of two versions of one item the second has to see what the first left.
  const before = await completeDistinct(transaction, entries.slice(0, twin));
  return [...before, ...(await completeIndexings(transaction, entries.slice(twin)))];
}

async function completeDistinct(transaction: Transaction, entries: readonly IndexedVersion[]): Promise<Completion[]> {
  const heads = await lockHeads(transaction, entries);
  const versions = await readVersions(transaction, entries, heads);
  const completions = entries.map(({ job, metadataHash }): Completion => {
    const head = heads.get(job.itemId);
    if (!head || head.tenant_id !== job.tenantId || head.deleted_at) return { kind: 'deleted' };
    const version = versions.get(keyOf(job));
    const isLate = head.live_version !== null && head.live_version > job.version;
    if (!version || TERMINAL_STATES.includes(version.state) || isLate)
      return { kind: 'already_done', live: liveOf(head, versions) };
    return {
      kind: 'indexed',
      metadataChanged: head.metadata_hash !== metadataHash,
      revision: head.revision,
      previousVersion: head.live_version,
    };
  });
  const done = entries.filter((_entry, index) => completions[index]?.kind === 'indexed');
  await endAsSuperseded(
    transaction,
    entries.filter((entry) => !done.includes(entry)).map(({ job }) => job),
  );
  if (done.length > 0) await makeLive(transaction, done, heads, versions);
  return completions;
}

function liveOf(head: HeadRow, versions: Map<string, VersionRow>): { version: number; recordedAt: Date } | null {
  if (head.live_version === null) return null;
  const row = versions.get(keyOf({ itemId: head.id, version: head.live_version }));
  return row ? { version: row.version, recordedAt: row.recorded_at } : null;
}

/** In the order of ids, as everybody locks heads, so that no two wait for each other crosswise. */
async function lockHeads(transaction: Transaction, entries: readonly IndexedVersion[]): Promise<Map<string, HeadRow>> {
  const rows: HeadRow[] = await transaction.query(
    `SELECT i.id, i.tenant_id, i.deleted_at, i.live_version, i.revision, i.metadata_hash FROM source_items i
     WHERE i.id = ANY($1::uuid[]) ORDER BY i.id FOR UPDATE`,
    [entries.map(({ job }) => job.itemId)],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** The entries' own versions and those that are live now. */
async function readVersions(
  transaction: Transaction,
  entries: readonly IndexedVersion[],
  heads: Map<string, HeadRow>,
): Promise<Map<string, VersionRow>> {
  const wanted = [
    ...entries.map(({ job }) => ({ itemId: job.itemId, version: job.version })),
    ...[...heads.values()].flatMap(({ id, live_version: version }) =>
      version === null ? [] : [{ itemId: id, version }],
    ),
  ];
  const rows: VersionRow[] = await transaction.query(
    `SELECT v.item_id, v.version, v.state, v.content_hash, v.recorded_at FROM item_versions v
     WHERE (v.item_id, v.version) IN (SELECT * FROM unnest($1::uuid[], $2::integer[]))`,
    [wanted.map(({ itemId }) => itemId), wanted.map(({ version }) => version)],
  );
  return new Map(rows.map((row) => [keyOf({ itemId: row.item_id, version: row.version }), row]));
}

async function makeLive(
  transaction: Transaction,
  entries: readonly IndexedVersion[],
  heads: Map<string, HeadRow>,
  versions: Map<string, VersionRow>,
): Promise<void> {
  await insertChunks(transaction, entries);
  const [itemIds, numbers] = identify(entries.map(({ job }) => job));
  await transaction.query(
    `WITH d AS (SELECT * FROM unnest($1::uuid[], $2::integer[], $3::text[], $4::jsonb[]) AS d(item_id, version, text, blocks)),
     replaced AS (
       UPDATE item_versions v SET superseded_at = n.recorded_at
       FROM d JOIN source_items i ON i.id = d.item_id
         JOIN item_versions n ON n.item_id = d.item_id AND n.version = d.version
       WHERE v.item_id = d.item_id AND v.version = i.live_version AND i.live_version <> d.version),
     live AS (
       UPDATE source_items i SET live_version = d.version, updated_at = now() FROM d WHERE i.id = d.item_id)
     UPDATE item_versions v SET state = 'indexed', state_at = now(), error_type = NULL, error_message = NULL,
       text = coalesce(d.text, v.text), blocks = coalesce(d.blocks, v.blocks)
     FROM d WHERE v.item_id = d.item_id AND v.version = d.version`,
    [
      itemIds,
      numbers,
      entries.map(({ extraction }) => extraction?.text ?? null),
      entries.map(({ extraction }) => (extraction ? JSON.stringify(extraction.blocks) : null)),
    ],
  );
  await saveReferences(
    transaction,
    entries.map(({ job, extraction }) => ({ ...job, links: extraction?.links ?? [] })),
  );
  await endIngestionItems(
    transaction,
    entries.map(({ job }) => ({ item_id: job.itemId, version: job.version })),
    'indexed',
  );
  // Last: every completion of a tenant waits for this row.
  const live = await addToCorpora(transaction, corpusChanges(entries, heads, versions));
  await requireKnown(transaction, entries);
  const steps = entries.flatMap(({ job, generationIds }) =>
    generationIds.map((generationId) => ({ generationId, itemId: job.itemId, version: job.version })),
  );
  // Of the live one the items themselves say what it holds.
  await keepStep(
    transaction,
    steps.filter(({ generationId }) => !live.has(generationId)),
  );
}

/**
 * A complete generation has nobody who looks for what it lacks. After the live one's row is locked: a build that ends now
 * waits for it, and sees what is committed here.
 */
async function requireKnown(transaction: Transaction, entries: readonly IndexedVersion[]): Promise<void> {
  const complete: { id: string; tenant_id: string }[] = await transaction.query(
    `SELECT id, tenant_id FROM generations WHERE tenant_id = ANY($1::uuid[]) AND status IN ('ready', 'previous')`,
    [[...new Set(entries.map(({ job }) => job.tenantId))]],
  );
  for (const { id, tenant_id: tenantId } of complete) {
    const own = entries.filter(({ job }) => job.tenantId === tenantId);
    if (own.some(({ knownIds, generationIds }) => !(knownIds ?? generationIds).includes(id)))
      throw new AppError('GENERATION.CHANGED');
  }
}

async function insertChunks(transaction: Transaction, entries: readonly IndexedVersion[]): Promise<void> {
  const rows = entries.flatMap(({ job, chunks }) =>
    chunks.map((chunk) => ({ ...chunk, tenantId: job.tenantId, itemId: job.itemId, version: job.version })),
  );
  await transaction.query(
    `INSERT INTO chunks (id, tenant_id, item_id, version, ordinal, level, parent_id, previous_id, next_id,
       start_index, end_index, section_path, heading_text, chunking)
     SELECT d.id, d."tenantId", d."itemId", d.version, d.ordinal, d.level, d."parentId", d."previousId", d."nextId",
       d.start, d."end", d."sectionPath", d."headingText", coalesce(d.chunking, '')
     FROM jsonb_to_recordset($1::jsonb) AS d(id uuid, "tenantId" uuid, "itemId" uuid, version integer, ordinal integer,
       level text, chunking text, "parentId" uuid, "previousId" uuid, "nextId" uuid, start integer, "end" integer,
       "sectionPath" text[], "headingText" text)
     ON CONFLICT (id) DO NOTHING`,
    [JSON.stringify(rows)],
  );
}

const CORPUS_MODULUS = 1n << 128n;

/** A version's share of the corpus fingerprint: 128 bits of SHA-256 over (item, version, content hash). */
export function corpusTermOf(version: { itemId: string; version: number; contentHash: string }): bigint {
  const digest = createHash('sha256')
    .update(`${version.itemId}:${version.version}:${version.contentHash}`)
    .digest('hex');
  return BigInt(`0x${digest.slice(0, 32)}`);
}

export interface CorpusChange {
  /** Those written to; the one of them that is live is counted in. */
  generationIds: readonly string[];
  sum: bigint;
  items: number;
}

function corpusChanges(
  entries: readonly IndexedVersion[],
  heads: Map<string, HeadRow>,
  versions: Map<string, VersionRow>,
): CorpusChange[] {
  const termOf = (itemId: string, number: number): bigint => {
    const row = versions.get(keyOf({ itemId, version: number }));
    if (!row) throw new Error('a live version has no row');
    return corpusTermOf({ itemId, version: number, contentHash: row.content_hash });
  };
  return entries.map(({ job, generationIds }) => {
    const previous = heads.get(job.itemId)?.live_version ?? null;
    const plus = termOf(job.itemId, job.version);
    const minus = previous === null ? 0n : termOf(job.itemId, previous);
    return { generationIds, sum: plus - minus, items: previous === null ? 1 : 0 };
  });
}

/**
 * In the order of ids, one statement a generation. Returns those that are live.
 *
 * @throws AppError GENERATION.CHANGED when none of a change's generations is the live one any more.
 */
export async function addToCorpora(
  transaction: Transaction,
  changes: readonly CorpusChange[],
): Promise<ReadonlySet<string>> {
  const totals = new Map<string, { sum: bigint; items: number }>();
  for (const { generationIds, sum, items } of changes) {
    for (const id of generationIds) {
      const total = totals.get(id) ?? { sum: 0n, items: 0 };
      totals.set(id, { sum: total.sum + sum, items: total.items + items });
    }
  }
  const live = new Set<string>();
  for (const [generationId, { sum, items }] of [...totals].sort(([left], [right]) => (left < right ? -1 : 1))) {
    const delta = ((sum % CORPUS_MODULUS) + CORPUS_MODULUS) % CORPUS_MODULUS;
    const [, changed]: [unknown, number] = await transaction.query(
      `UPDATE generations SET corpus_sum = mod(corpus_sum + $2::numeric, $3::numeric), item_count = item_count + $4
       WHERE id = $1 AND status = 'live'`,
      [generationId, delta.toString(), CORPUS_MODULUS.toString(), items],
    );
    if (changed === 1) live.add(generationId);
  }
  if (changes.some(({ generationIds }) => !generationIds.some((id) => live.has(id))))
    throw new AppError('GENERATION.CHANGED');
  return live;
}
