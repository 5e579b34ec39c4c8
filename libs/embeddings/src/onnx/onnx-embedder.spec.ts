import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeEmbedder, dot } from '../conformance/embedder.conformance.js';
import { findModel } from '../conformance/find-model.js';
import { OnnxEmbedder } from './onnx-embedder.js';
import { ONNX_MODEL_SPECS } from './onnx-model-specs.js';

const files = findModel('bge-small-en-v1.5-q');
const describeWithModel = files ? describe : describe.skip;
const spec = ONNX_MODEL_SPECS['bge-small-en-v1.5-q'];
const load = (): Promise<OnnxEmbedder> => OnnxEmbedder.load({ ...files!, spec, threads: 1 });

describeWithModel('OnnxEmbedder', () => {
  describeEmbedder(load, { determinism: 1e-5 });

  describe('bge-small-en-v1.5-q', () => {
    let embedder: OnnxEmbedder;

    beforeAll(async () => {
      embedder = await load();
    });

    afterAll(async () => {
      await embedder.close();
    });

    it('is identified by the SHA-256 of its weights', () => {
      const sha256 = createHash('sha256').update(readFileSync(files!.modelPath)).digest('hex');
      expect(embedder.profile).toEqual({ model: spec.model, revision: sha256, dimensions: 384, maxTokens: 512 });
    });

    it('knows meaning apart from spelling', async () => {
      const query = await embedder.embedQuery('Can I get my money back?');
      const [right, wrong] = await embedder.embedPassages([
        'Customers may return the product and receive a full refund within 30 days.',
        'The kernel scheduler balances threads across processors.',
      ]);
      expect(dot(query, right!)).toBeGreaterThan(dot(query, wrong!) + 0.1);
    });

    it('puts the prefix of the model card before queries only', async () => {
      const text = 'Refunds take fourteen days.';
      const query = await embedder.embedQuery(text);
      const [plain, prefixed] = await embedder.embedPassages([text, spec.queryPrefix + text]);
      expect(dot(query, prefixed!)).toBeGreaterThan(0.9999);
      expect(dot(query, plain!)).toBeLessThan(0.999);
    });

    it("counts the model's own tokens", () => {
      expect(embedder.countTokens('embeddings')).toBe(4);
      expect(embedder.countTokens('Refunds take fourteen days.')).toBe(6);
    });

    it('answers a query before the passages that wait', async () => {
      const finished: string[] = [];
      const passages = embedder
        .embedPassages(Array.from({ length: 12 }, (_, index) => `Passage number ${index} waits.`))
        .then(() => finished.push('passages'));
      const query = embedder.embedQuery('urgent').then(() => finished.push('query'));
      await Promise.all([passages, query]);
      expect(finished).toEqual(['query', 'passages']);
    });

    it('leaves the event loop free while it computes', async () => {
      let turns = 0;
      const timer = setInterval(() => (turns += 1), 1);
      // Long enough that also a busy machine gives the loop a turn in between.
      const text = 'The retention rule applies to every record. '.repeat(60);
      await embedder.embedPassages(Array.from({ length: 8 }, (_, number) => `${number}. ${text}`));
      clearInterval(timer);
      expect(turns).toBeGreaterThan(1);
    });
  });

  it('refuses a model that gives other dimensions than its spec says', async () => {
    const loading = OnnxEmbedder.load({ ...files!, spec: { ...spec, dimensions: 768 }, revision: 'given' });
    await expect(loading).rejects.toMatchObject({
      code: 'EMBEDDINGS.PROFILE_MISMATCH',
      details: { expected: 768, actual: 384 },
    });
  });

  it('refuses a file that is no model', async () => {
    const loading = OnnxEmbedder.load({ ...files!, modelPath: files!.tokenizerPath, spec });
    await expect(loading).rejects.toMatchObject({ code: 'DEPENDENCY.EMBEDDINGS_UNAVAILABLE' });
  });

  it('runs in parallel with the same results', async () => {
    const parallel = await OnnxEmbedder.load({ ...files!, spec, parallelRuns: 2, revision: 'given' });
    const single = await load();
    try {
      const texts = Array.from({ length: 9 }, (_, index) => `Text number ${index}.`);
      const [some, others] = [await parallel.embedPassages(texts), await single.embedPassages(texts)];
      for (const [index, vector] of some.entries()) expect(dot(vector, others[index]!)).toBeGreaterThan(0.9999);
    } finally {
      await Promise.all([parallel.close(), single.close()]);
    }
  });
});

const miniLm = process.env['CANDOR_MODEL_DIR'] ? null : findModel('all-minilm-l6-v2-q');
(miniLm ? describe : describe.skip)('OnnxEmbedder with all-minilm-l6-v2-q', () => {
  describeEmbedder(() => OnnxEmbedder.load({ ...miniLm!, spec: ONNX_MODEL_SPECS['all-minilm-l6-v2-q'], threads: 1 }), {
    determinism: 1e-5,
  });
});

describe('OnnxEmbedder without files', () => {
  it('says that they cannot be read', async () => {
    const loading = OnnxEmbedder.load({
      modelPath: '/nowhere/model.onnx',
      tokenizerPath: '/nowhere/tokenizer.json',
      spec,
    });
    await expect(loading).rejects.toMatchObject({ code: 'DEPENDENCY.EMBEDDINGS_UNAVAILABLE' });
  });
});
