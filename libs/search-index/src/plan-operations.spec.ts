import { buildChunk } from './conformance/chunk-builder.js';
import { planOperations, type IndexPlan, type StoredChunk } from './plan-operations.js';
import type { ChunkMetadata, IndexOperation } from './search-index.port.js';

const EMPTY: IndexPlan = {
  supersede: [],
  indexHistory: [],
  updateHistory: [],
  indexLive: [],
  updateLive: [],
  deleteLive: [],
  deleteHistory: [],
};
const RECORDED_AT = '2024-05-02T00:00:00.000Z';

function stored(chunkId: string, version: number, overrides: Partial<StoredChunk> = {}): StoredChunk {
  return { chunkId, itemId: 'item', version, accessMode: 'provider_scope', principals: [], ...overrides };
}

function put(version: number, ...chunkIds: string[]): Extract<IndexOperation, { kind: 'put-version' }> {
  const chunks = chunkIds.map((chunkId) => buildChunk('tenant', { chunkId, itemId: 'item', version }));
  return { kind: 'put-version', itemId: 'item', version, recordedAt: RECORDED_AT, chunks };
}

const METADATA: ChunkMetadata = {
  accessMode: 'acl',
  principals: ['user:a'],
  title: 'New',
  sourceUpdatedAt: null,
  validFrom: null,
  validUntil: null,
  tags: [],
};
const ACCESS = { accessMode: 'acl', principals: ['user:a'] };
const nothing = { live: [], history: [] };

describe('planOperations', () => {
  it('indexes a new item and touches nothing else', () => {
    const operation = put(1, 'a', 'b');
    expect(planOperations(nothing, [operation])).toEqual({ ...EMPTY, indexLive: operation.chunks });
  });

  it('moves older live chunks to history', () => {
    const operation = put(2, 'b');
    expect(planOperations({ live: [stored('a', 1)], history: [] }, [operation])).toEqual({
      ...EMPTY,
      supersede: [{ chunkId: 'a', supersededAt: RECORDED_AT, metadata: {} }],
      indexLive: operation.chunks,
      deleteLive: ['a'],
    });
  });

  it('ignores a version older than the live one', () => {
    expect(planOperations({ live: [stored('a', 3)], history: [] }, [put(2, 'b')])).toEqual(EMPTY);
  });

  it('files a superseded version in history: new chunks, and those that are live', () => {
    const { chunks } = put(1, 'a', 'b', 'c');
    const operation = {
      kind: 'put-superseded',
      itemId: 'item',
      version: 1,
      supersededAt: RECORDED_AT,
      chunks,
    } as const;
    expect(planOperations(nothing, [operation])).toEqual({
      ...EMPTY,
      indexHistory: chunks.map((chunk) => ({ chunk, supersededAt: RECORDED_AT })),
    });
    const kept = { live: [stored('a', 1), stored('d', 2)], history: [stored('b', 1)] };
    expect(planOperations(kept, [operation])).toEqual({
      ...EMPTY,
      supersede: [{ chunkId: 'a', supersededAt: RECORDED_AT, metadata: {} }],
      indexHistory: [{ chunk: chunks[2], supersededAt: RECORDED_AT }],
      deleteLive: ['a'],
    });
  });

  it('settles what two writers left beside each other', () => {
    const live = [stored('a', 1), stored('b', 2), stored('c', 3)];
    const operation = { kind: 'settle-version', itemId: 'item', version: 2, recordedAt: RECORDED_AT } as const;
    expect(planOperations({ live, history: [] }, [operation])).toEqual({
      ...EMPTY,
      supersede: [{ chunkId: 'a', supersededAt: RECORDED_AT, metadata: {} }],
      deleteLive: ['a'],
    });
  });

  it('replaces the same version without a trace in history', () => {
    const operation = put(1, 'b', 'c');
    const plan = planOperations({ live: [stored('a', 1), stored('b', 1)], history: [] }, [operation]);
    expect(plan).toEqual({ ...EMPTY, indexLive: operation.chunks, deleteLive: ['a'] });
  });

  it('does not delete an id that the new version uses again', () => {
    const operation = put(2, 'a');
    expect(planOperations({ live: [stored('a', 1)], history: [] }, [operation])).toEqual({
      ...EMPTY,
      supersede: [{ chunkId: 'a', supersededAt: RECORDED_AT, metadata: {} }],
      indexLive: operation.chunks,
    });
  });

  it('takes the last of two chunks with one id', () => {
    const operation = put(1, 'a', 'a');
    expect(planOperations(nothing, [operation]).indexLive).toEqual([operation.chunks[1]]);
  });

  it('sends a version that is superseded in the same batch to history', () => {
    const [first, second] = [put(1, 'a'), put(2, 'b')];
    expect(planOperations(nothing, [first, second])).toEqual({
      ...EMPTY,
      indexHistory: [{ chunk: first.chunks[0], supersededAt: RECORDED_AT }],
      indexLive: second.chunks,
    });
  });

  it('updates metadata of live chunks, but only the access of old ones', () => {
    const state = { live: [stored('b', 2)], history: [stored('a', 1)] };
    expect(planOperations(state, [{ kind: 'update-metadata', itemId: 'item', metadata: METADATA }])).toEqual({
      ...EMPTY,
      updateHistory: [{ chunkId: 'a', metadata: ACCESS }],
      updateLive: [{ chunkId: 'b', metadata: METADATA }],
    });
  });

  it('carries an update of the same batch into new chunks and into superseded ones', () => {
    const update: IndexOperation = { kind: 'update-metadata', itemId: 'item', metadata: METADATA };
    const fresh = put(1, 'a');
    expect(planOperations(nothing, [fresh, update]).indexLive).toEqual([{ ...fresh.chunks[0], ...METADATA }]);
    const next = put(2, 'b');
    next.chunks = next.chunks.map((chunk) => ({ ...chunk, accessMode: 'acl', principals: ['user:a'] }));
    const plan = planOperations({ live: [stored('a', 1)], history: [] }, [update, next]);
    expect(plan.supersede).toEqual([{ chunkId: 'a', supersededAt: RECORDED_AT, metadata: METADATA }]);
  });

  it('lets history follow the access of a new version, and leaves it alone when that is the same', () => {
    const state = {
      live: [],
      history: [stored('a', 1), stored('b', 1, { accessMode: 'acl', principals: ['user:a'] })],
    };
    const operation = put(2, 'c');
    operation.chunks = operation.chunks.map((chunk) => ({ ...chunk, accessMode: 'acl', principals: ['user:a'] }));
    expect(planOperations(state, [operation]).updateHistory).toEqual([{ chunkId: 'a', metadata: ACCESS }]);
  });

  it('deletes everywhere, also what the batch itself brought', () => {
    const state = { live: [stored('b', 2)], history: [stored('a', 1)] };
    const remove: IndexOperation = { kind: 'delete-item', itemId: 'item' };
    const expected = { ...EMPTY, deleteLive: ['b'], deleteHistory: ['a'] };
    expect(planOperations(state, [remove])).toEqual(expected);
    expect(planOperations(state, [put(3, 'c'), remove])).toEqual(expected);
  });

  it('mends what a crash left: a chunk both live and in history', () => {
    const state = { live: [stored('a', 1), stored('b', 2)], history: [stored('a', 1)] };
    expect(planOperations(state, [put(2, 'b')])).toMatchObject({
      supersede: [{ chunkId: 'a' }],
      deleteLive: ['a'],
      deleteHistory: [],
    });
  });
});
