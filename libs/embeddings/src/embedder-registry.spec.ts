import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { EmbeddingServer } from './conformance/embedding-server.js';
import { findModel } from './conformance/find-model.js';
import { EmbedderRegistry, type EmbedderRegistryOptions, type StoredEmbedding } from './embedder-registry.js';
import type { Embedder } from './embedder.port.js';

const hashing = (dimensions: number): StoredEmbedding => ({
  provider: 'hashing',
  model: 'hashing',
  revision: '1',
  dimensions,
  maxTokens: 8_192,
});

let registry: EmbedderRegistry;

async function open(options: Partial<EmbedderRegistryOptions> = {}): Promise<EmbedderRegistry> {
  registry = await EmbedderRegistry.open({ configured: { kind: 'hashing', dimensions: 16 }, ...options });
  return registry;
}
/** The embedder that the registry gives for it, as it is while it is used. */
const give = (stored: StoredEmbedding | null): Promise<Embedder> => registry.use(stored, async (embedder) => embedder);

afterEach(() => registry.close());

describe('the models of a process', () => {
  it('gives the configured one to its own index and to one without a record', async () => {
    const { configured } = await open();
    expect(registry.configuredEmbedding).toEqual(hashing(16));
    expect(await give(hashing(16))).toBe(configured);
    expect(await give(null)).toBe(configured);
    expect(registry.openCount).toBe(1);
  });

  it('opens another one when it is wanted, once, and keeps it', async () => {
    await open();
    const [one, two] = await Promise.all([give(hashing(32)), give(hashing(32))]);
    expect(one).toBe(two);
    expect(one.profile.dimensions).toBe(32);
    expect(await one.embedQuery('a')).toHaveLength(32);
    expect(await give(hashing(32))).toBe(one);
    expect(registry.openCount).toBe(2);
  });

  it('keeps a bounded number open, the least recently used goes first', async () => {
    await open({ maxOpen: 2 });
    const first = await give(hashing(32));
    const second = await give(hashing(64));
    await give(hashing(32));
    await give(hashing(128));
    expect(registry.openCount).toBe(3);
    expect(await give(hashing(32))).toBe(first);
    expect(await give(hashing(64))).not.toBe(second);
  });

  it('never closes one that is in use, beyond the bound too', async () => {
    await open({ maxOpen: 1 });
    let finish = (): void => undefined;
    const held = new Promise<void>((resolve) => (finish = resolve));
    const closes: number[] = [];
    const use = (dimensions: number): Promise<void> =>
      registry.use(hashing(dimensions), async (embedder) => {
        jest.spyOn(embedder, 'close').mockImplementation(async () => void closes.push(dimensions));
        await held;
      });
    const running = [use(32), use(64), use(128)];
    await delay(5);
    expect([registry.openCount, closes]).toEqual([4, []]);
    finish();
    await Promise.all(running);
    await delay(5);
    expect(registry.openCount).toBe(2);
    expect(closes).toHaveLength(2);
  });

  it('closes one that nobody has used for some time', async () => {
    await open({ idleMs: 1 });
    const embedder = await give(hashing(32));
    const closed = new Promise<void>((resolve) =>
      jest.spyOn(embedder, 'close').mockImplementation(async () => resolve()),
    );
    await closed;
    expect(registry.openCount).toBe(1);
  });

  it('closes all of them with itself', async () => {
    await open();
    const close = jest.spyOn(await give(hashing(32)), 'close');
    await registry.close();
    expect(close).toHaveBeenCalled();
    await expect(give(hashing(32))).rejects.toMatchObject({ code: 'DEPENDENCY.EMBEDDINGS_UNAVAILABLE' });
  });

  it('refuses a model that is not the same any more, and asks again the next time', async () => {
    await open();
    const other = { ...hashing(32), revision: '0' };
    await expect(give(other)).rejects.toMatchObject({ code: 'EMBEDDINGS.PROFILE_MISMATCH' });
    await expect(give({ ...hashing(32), provider: 'onnx', model: 'bge-small-en-v1.5-q' })).rejects.toMatchObject({
      code: 'EMBEDDINGS.PROFILE_MISMATCH',
    });
    expect(registry.openCount).toBe(1);
  });

  it('says what a new index would be built with', async () => {
    await open();
    expect(await registry.resolve(null)).toEqual(hashing(16));
    expect(await registry.resolve('hashing')).toEqual(hashing(16));
    await expect(registry.resolve('no-such-model')).rejects.toMatchObject({ code: 'CONFIG.INVALID' });
  });
});

describe('a registry with an endpoint', () => {
  const server = new EmbeddingServer(24);
  afterEach(() => server.stop());

  it('asks the same server for another model by its name, with the prefixes of that index', async () => {
    const baseUrl = await server.start();
    await open({ configured: { kind: 'openai-compatible', baseUrl, model: 'new', queryPrefix: 'new: ', apiKey: 'k' } });
    const { queryPrefix: _configured, ...kept } = registry.configuredEmbedding;
    const old = { ...kept, model: 'old', revision: 'r1', queryPrefix: 'old: ' };
    await registry.use(old, (embedder) => embedder.embedQuery('a question'));
    expect(server.requests.at(-1)).toMatchObject({
      authorization: 'Bearer k',
      body: { model: 'old', input: ['old: a question'] },
    });
    expect(await registry.resolve('third')).toEqual({
      provider: 'openai-compatible',
      model: 'third',
      revision: 'unversioned',
      dimensions: 24,
      maxTokens: 8_191,
    });
    await expect(give({ ...kept, revision: 'of before' })).rejects.toMatchObject({
      code: 'EMBEDDINGS.PROFILE_MISMATCH',
    });
  });
});

const files = findModel('bge-small-en-v1.5-q');
const other = findModel('all-minilm-l6-v2-q');
const withModels = files && other ? describe : describe.skip;

withModels('a registry of local models', () => {
  it('finds another model beside the configured one', async () => {
    await open({ configured: { kind: 'onnx', model: 'bge-small-en-v1.5-q', ...files! } });
    const stored = await registry.resolve('all-minilm-l6-v2-q');
    expect(stored).toMatchObject({ provider: 'onnx', model: 'all-minilm-l6-v2-q', dimensions: 384, maxTokens: 256 });
    expect((await give(stored)).profile.revision).toBe(stored.revision);
    await expect(give({ ...stored, revision: 'other weights' })).rejects.toMatchObject({
      code: 'EMBEDDINGS.PROFILE_MISMATCH',
    });
  });
});
