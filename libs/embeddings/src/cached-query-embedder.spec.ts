import { beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@candor/contracts';
import { describeEmbedder } from './conformance/embedder.conformance.js';
import { CachedQueryEmbedder } from './cached-query-embedder.js';
import { HashingEmbedder } from './hashing/hashing-embedder.js';

/** Counts, holds back and fails on demand. */
class ObservedEmbedder extends HashingEmbedder {
  queries: string[] = [];
  aborted = 0;
  failure: AppError | undefined;
  private release: (() => void) | undefined;
  private held: Promise<void> | undefined;

  hold(): void {
    this.held = new Promise((resolve) => (this.release = resolve));
  }

  letGo(): void {
    this.release?.();
  }

  override async embedQuery(text: string, signal?: AbortSignal): Promise<Float32Array> {
    this.queries.push(text);
    signal?.addEventListener('abort', () => (this.aborted += 1));
    await this.held;
    if (this.failure) throw this.failure;
    return super.embedQuery(text, signal);
  }
}

describe('CachedQueryEmbedder', () => {
  describe('as an embedder', () => {
    describeEmbedder(async () => new CachedQueryEmbedder(new HashingEmbedder()), { determinism: 1e-6 });
  });

  let inner: ObservedEmbedder;
  let embedder: CachedQueryEmbedder;

  beforeEach(() => {
    inner = new ObservedEmbedder();
    embedder = new CachedQueryEmbedder(inner, { maxEntries: 2 });
  });

  it('computes an equal query once and gives everybody an own copy', async () => {
    const first = await embedder.embedQuery('a');
    first.fill(9);
    const second = await embedder.embedQuery('a');
    expect(inner.queries).toEqual(['a']);
    expect(second).toEqual(await new HashingEmbedder().embedQuery('a'));
  });

  it('forgets the least recently used beyond its bound', async () => {
    for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) await embedder.embedQuery(text);
    expect(inner.queries).toEqual(['a', 'b', 'c', 'b']);
  });

  it('lets equal queries under way share one computation', async () => {
    inner.hold();
    const both = [embedder.embedQuery('a'), embedder.embedQuery('a')];
    inner.letGo();
    const [first, second] = await Promise.all(both);
    expect(inner.queries).toEqual(['a']);
    expect(first).toEqual(second);
    expect(first).not.toBe(second);
  });

  it('cancels one caller without harm to the other', async () => {
    inner.hold();
    const abort = new AbortController();
    const gone = embedder.embedQuery('a', abort.signal);
    const staying = embedder.embedQuery('a', new AbortController().signal);
    abort.abort();
    await expect(gone).rejects.toMatchObject({ code: 'REQUEST.CANCELLED' });
    expect(inner.aborted).toBe(0);
    inner.letGo();
    await expect(staying).resolves.toHaveLength(384);
  });

  it('gives the computation up when the last caller is gone, and computes anew for the next', async () => {
    inner.hold();
    const aborts = [new AbortController(), new AbortController()];
    const gone = aborts.map((abort) => embedder.embedQuery('a', abort.signal));
    const outcomes = Promise.allSettled(gone);
    for (const abort of aborts) abort.abort();
    await outcomes;
    expect(inner.aborted).toBe(1);
    inner.letGo();
    await expect(embedder.embedQuery('a')).resolves.toHaveLength(384);
    expect(inner.queries).toEqual(['a', 'a']);
  });

  it('remembers no failure', async () => {
    inner.failure = new AppError('DEPENDENCY.EMBEDDINGS_UNAVAILABLE');
    await expect(embedder.embedQuery('a')).rejects.toMatchObject({ code: 'DEPENDENCY.EMBEDDINGS_UNAVAILABLE' });
    inner.failure = undefined;
    await expect(embedder.embedQuery('a')).resolves.toHaveLength(384);
  });
});
