import { Field, FixedSizeList, Float32, Float64, Int32, List, Schema, Utf8 } from 'apache-arrow';
import type { ChunkDocument, FoundChunk } from '../search-index.port.js';
import type { ChunkAccess } from '../plan-operations.js';
import { segmentText } from './segment-text.js';

/** Raised with every change of what the rows hold or how their words are found; part of the pipeline fingerprint. */
export const TABLE_VERSION = 2;

/** Stands in `grants` for "everyone who may read the provider"; no principal's grant can equal it. */
export const SCOPE_GRANT = 'scope';

export function principalGrant(principal: string): string {
  return `principal:${principal}`;
}

/**
 * What is filtered or searched has a column; the whole chunk (vector aside) is `document`, as JSON, so it comes
 * back exactly as it was given, and a hit needs three columns read and not twenty.
 */
export interface ChunkRow {
  chunkId: string;
  tenantId: string;
  itemId: string;
  version: number;
  provider: string;
  /** Access as one list, so that one label-list index answers it: empty = only service keys. */
  grants: string[];
  /** Milliseconds since the epoch. */
  sourceUpdatedAt: number | null;
  recordedAt: number;
  supersededAt: number | null;
  searchText: string;
  document: string;
  vector: Float32Array;
}

export function buildSchema(dimensions: number): Schema {
  return new Schema([
    new Field('chunkId', new Utf8(), false),
    new Field('tenantId', new Utf8(), false),
    new Field('itemId', new Utf8(), false),
    new Field('version', new Int32(), false),
    new Field('provider', new Utf8(), false),
    new Field('grants', new List(new Field('item', new Utf8(), true)), false),
    new Field('sourceUpdatedAt', new Float64(), true),
    new Field('recordedAt', new Float64(), false),
    new Field('supersededAt', new Float64(), true),
    new Field('searchText', new Utf8(), false),
    new Field('document', new Utf8(), false),
    new Field('vector', new FixedSizeList(dimensions, new Field('item', new Float32(), true)), false),
  ]);
}

export function schemaDimensions(schema: Schema): number {
  const type: unknown = schema.fields.find((field) => field.name === 'vector')?.type;
  // By shape, not by class: the driver may hand out types of its own copy of Arrow.
  return (type as { listSize?: number } | undefined)?.listSize ?? 0;
}

/** In what a table differs from the schema that it would be made with now. */
export function findSchemaDrift(expected: Schema, actual: Schema): string[] {
  // By name, not by class: the driver may hand out types of its own copy of Arrow.
  const types = new Map(actual.fields.map((field) => [field.name, String(field.type)]));
  const drift = [];
  for (const { name, type } of expected.fields) {
    const found = types.get(name);
    if (found !== String(type)) drift.push(`${name} is ${found ?? 'missing'} and should be ${String(type)}`);
    types.delete(name);
  }
  return [...drift, ...[...types.keys()].map((name) => `${name} is not known`)];
}

export function toRow(chunk: ChunkDocument, supersededAt: string | null): ChunkRow {
  const { vector, ...document } = chunk;
  return {
    chunkId: chunk.chunkId,
    tenantId: chunk.tenantId,
    itemId: chunk.itemId,
    version: chunk.version,
    provider: chunk.provider,
    grants: grantsOf(chunk),
    sourceUpdatedAt: chunk.sourceUpdatedAt === null ? null : Date.parse(chunk.sourceUpdatedAt),
    recordedAt: Date.parse(chunk.recordedAt),
    supersededAt: supersededAt === null ? null : Date.parse(supersededAt),
    searchText: searchTextOf(chunk),
    document: JSON.stringify(document),
    vector,
  };
}

export function fromRow(document: string): FoundChunk {
  return JSON.parse(document) as FoundChunk;
}

/**
 * The title is there twice, which is what a boost of two is in BM25F. On SciFact train (nDCG@10, BM25 alone):
 * once 0.703, twice 0.707; a column each with `MultiMatchQuery` 0.689, and 0.594 with the title boosted.
 */
export function searchTextOf(chunk: Pick<ChunkDocument, 'title' | 'sectionPath' | 'content'>): string {
  return segmentText([chunk.title, chunk.title, ...chunk.sectionPath, chunk.content].join('\n'));
}

function grantsOf(access: ChunkAccess): string[] {
  if (access.accessMode === 'provider_scope') return [SCOPE_GRANT];
  return access.accessMode === 'acl' ? access.principals.map(principalGrant) : [];
}
