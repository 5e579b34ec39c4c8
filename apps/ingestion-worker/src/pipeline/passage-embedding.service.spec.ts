import { describe, expect, it } from '@jest/globals';
import type { Embedder } from '@candor/embeddings';
import { PassageEmbeddingService } from './passage-embedding.service.js';

/** Only what the service asks of an embedder: a text's vector is its length. */
function countingEmbedder(): { embedder: Embedder; batches: number[] } {
  const batches: number[] = [];
  const embedPassages = async (texts: readonly string[]): Promise<Float32Array[]> => {
    batches.push(texts.length);
    await new Promise((resolve) => setImmediate(resolve));
    return texts.map((text) => Float32Array.of(text.length));
  };
  return { embedder: { embedPassages } as unknown as Embedder, batches };
}

const textsOf = (count: number): string[] => Array.from({ length: count }, (_value, index) => 'x'.repeat(index + 1));
const lengths = (vectors: readonly Float32Array[]): (number | undefined)[] => vectors.map(([length]) => length);
const never = new AbortController().signal;

describe('PassageEmbeddingService', () => {
  it('fills batches from many items, and gives each item its own vectors', async () => {
    const { embedder, batches } = countingEmbedder();
    const service = new PassageEmbeddingService();
    const items = [3, 1, 20, 7].map(textsOf);
    const vectors = await Promise.all(items.map((texts) => service.embed(embedder, 'tenant', texts, never)));
    expect(vectors.map(lengths)).toEqual(items.map((texts) => texts.map((text) => text.length)));
    expect(batches).toEqual([31]);
    expect(await service.embed(embedder, 'tenant', [], never)).toEqual([]);
  });

  it('lets a short item of another tenant in between the slices of a long one', async () => {
    const { embedder } = countingEmbedder();
    const service = new PassageEmbeddingService();
    const ended: string[] = [];
    const long = [1, 2, 3].map((number) =>
      service.embed(embedder, 'long', textsOf(200), never).then(() => ended.push(`long ${number}`)),
    );
    const short = service.embed(embedder, 'short', textsOf(2), never).then(() => ended.push('short'));
    await Promise.all([...long, short]);
    expect(ended[0]).toBe('short');
  });

  it('stops between two slices when its job is over', async () => {
    const { embedder, batches } = countingEmbedder();
    const controller = new AbortController();
    const embedding = new PassageEmbeddingService().embed(embedder, 'tenant', textsOf(500), controller.signal);
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort(new Error('cancelled'));
    await expect(embedding).rejects.toThrow('cancelled');
    expect(batches.length).toBeLessThan(3);
  });

  it('gives a batch up when the jobs of all its items are over, and not before', async () => {
    const signals: AbortSignal[] = [];
    const embedPassages = (_texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> => {
      signals.push(signal);
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('given up'))));
    };
    const service = new PassageEmbeddingService();
    const jobs = [new AbortController(), new AbortController()];
    const embedder = { embedPassages } as unknown as Embedder;
    const embedding = Promise.allSettled(
      jobs.map(({ signal }, index) => service.embed(embedder, `tenant ${index}`, textsOf(2), signal)),
    );
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    jobs[0]?.abort(new Error('superseded'));
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    jobs[1]?.abort(new Error('cancelled'));
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(await embedding).toMatchObject([
      { reason: { message: 'superseded' } },
      { reason: { message: 'cancelled' } },
    ]);
  });
});
