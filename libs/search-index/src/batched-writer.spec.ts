import { AppError } from '@candor/contracts';
import { BatchedIndexWriter } from './batched-writer.js';
import type { IndexAddress, IndexOperation, SearchIndexWriter } from './search-index.port.js';

const ADDRESS: IndexAddress = { tenantId: 'tenant', generation: 'g1' };

/** Records what it is given; items named in `failures` fail every apply they are part of. */
class RecordingWriter implements SearchIndexWriter {
  readonly mappingVersion = 3;
  readonly applied: string[][] = [];
  readonly failures = new Map<string, Error>();
  closed = false;
  running = 0;

  async apply(_address: IndexAddress, operations: readonly IndexOperation[]): Promise<void> {
    const items = operations.map((operation) => operation.itemId);
    this.applied.push(items);
    this.running += 1;
    expect(this.running).toBeLessThanOrEqual(4);
    await new Promise((resolve) => setImmediate(resolve));
    this.running -= 1;
    for (const item of items) {
      const failure = this.failures.get(item);
      if (failure) throw failure;
    }
  }
  ensureIndex = (): Promise<void> => Promise.resolve();
  countItem = (): Promise<number> => Promise.resolve(7);
  async *listVersions(): AsyncGenerator<never> {}
  hasIndex = (): Promise<boolean> => Promise.resolve(true);
  findDrift = (): Promise<string[]> => Promise.resolve(['drift']);
  dropIndex = (): Promise<void> => Promise.resolve();
  ping = (): Promise<void> => Promise.resolve();
  close = (): Promise<void> => {
    this.closed = true;
    return Promise.resolve();
  };
}

const remove = (itemId: string): IndexOperation[] => [{ kind: 'delete-item', itemId }];

describe('BatchedIndexWriter', () => {
  it('has the mapping version of the adapter inside', () => {
    expect(new BatchedIndexWriter(new RecordingWriter()).mappingVersion).toBe(3);
  });

  it('gathers what comes while a flush runs, in order', async () => {
    const inner = new RecordingWriter();
    const writer = new BatchedIndexWriter(inner);
    const first = writer.apply(ADDRESS, remove('a'));
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([first, ...['b', 'c', 'd'].map((item) => writer.apply(ADDRESS, remove(item)))]);
    expect(inner.applied).toEqual([['a'], ['b', 'c', 'd']]);
  });

  it('bounds a flush by operations, and lets a large caller go alone', async () => {
    const inner = new RecordingWriter();
    const writer = new BatchedIndexWriter(inner, { maxOperations: 2 });
    const large = [...remove('x'), ...remove('y'), ...remove('z')];
    await Promise.all([
      ...['a', 'b', 'c'].map((item) => writer.apply(ADDRESS, remove(item))),
      writer.apply(ADDRESS, large),
    ]);
    expect(inner.applied).toEqual([['a', 'b'], ['c'], ['x', 'y', 'z']]);
  });

  it('repeats a failed flush caller by caller, so only the bad one fails', async () => {
    const inner = new RecordingWriter();
    inner.failures.set('b', new Error('bad item'));
    const writer = new BatchedIndexWriter(inner);
    const results = await Promise.allSettled(['a', 'b', 'c'].map((item) => writer.apply(ADDRESS, remove(item))));
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(inner.applied).toEqual([['a', 'b', 'c'], ['a'], ['b'], ['c']]);
  });

  it('fails all at once when the index is down', async () => {
    const inner = new RecordingWriter();
    inner.failures.set('b', new AppError('DEPENDENCY.INDEX_UNAVAILABLE'));
    const writer = new BatchedIndexWriter(inner);
    const results = await Promise.allSettled(['a', 'b', 'c'].map((item) => writer.apply(ADDRESS, remove(item))));
    expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(inner.applied).toEqual([['a', 'b', 'c']]);
    await expect(writer.apply(ADDRESS, remove('d'))).resolves.toBeUndefined();
  });

  it('keeps addresses apart', async () => {
    const inner = new RecordingWriter();
    inner.apply = async (address, operations) => {
      inner.applied.push([address.generation, ...operations.map((operation) => operation.itemId)]);
    };
    const writer = new BatchedIndexWriter(inner);
    await Promise.all([
      writer.apply(ADDRESS, remove('a')),
      writer.apply({ ...ADDRESS, generation: 'g2' }, remove('b')),
      writer.apply(ADDRESS, remove('c')),
    ]);
    expect(inner.applied).toEqual([
      ['g1', 'a', 'c'],
      ['g2', 'b'],
    ]);
  });

  it('asks the index once a second whether it is there, and again at once when it was not', async () => {
    const inner = new RecordingWriter();
    let asked = 0;
    let isAway = true;
    inner.ping = async () => {
      asked += 1;
      if (isAway) throw new AppError('DEPENDENCY.INDEX_UNAVAILABLE');
    };
    const writer = new BatchedIndexWriter(inner);
    await expect(writer.ping()).rejects.toMatchObject({ code: 'DEPENDENCY.INDEX_UNAVAILABLE' });
    isAway = false;
    await writer.ping();
    await writer.ping();
    expect(asked).toBe(2);
  });

  it('asks once for all who ask at the same moment', async () => {
    const inner = new RecordingWriter();
    let asked = 0;
    inner.ping = async () => {
      asked += 1;
      await new Promise((resolve) => setImmediate(resolve));
    };
    const writer = new BatchedIndexWriter(inner);
    const gone = new AbortController();
    const asking = [writer.ping(), writer.ping(gone.signal), writer.ping()];
    gone.abort(new AppError('REQUEST.CANCELLED'));
    const results = await Promise.allSettled(asking);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(asked).toBe(1);
  });

  it('lets go at once of who goes away while it asks, and gives up an index that does not answer', async () => {
    const inner = new RecordingWriter();
    inner.ping = () => new Promise(() => undefined);
    const writer = new BatchedIndexWriter(inner, { pingMs: 200 });
    const gone = new AbortController();
    const settled: string[] = [];
    const note = (error: unknown): number => settled.push(AppError.from(error).code);
    const waiting = writer.ping().catch(note);
    const leaving = writer.ping(gone.signal).catch(note);
    gone.abort();
    await Promise.all([leaving, waiting]);
    expect(settled).toEqual(['REQUEST.CANCELLED', 'DEPENDENCY.INDEX_UNAVAILABLE']);
    await expect(writer.ping(gone.signal)).rejects.toMatchObject({ code: 'REQUEST.CANCELLED' });
  });

  it('finishes what it accepted before it closes', async () => {
    const inner = new RecordingWriter();
    const writer = new BatchedIndexWriter(inner);
    const pending = writer.apply(ADDRESS, remove('a'));
    await writer.close();
    expect(inner).toMatchObject({ applied: [['a']], closed: true });
    await pending;
  });
});
