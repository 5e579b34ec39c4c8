import { describe, expect, it } from '@jest/globals';
import { describeEmbedder, dot } from '../conformance/embedder.conformance.js';
import { HashingEmbedder } from './hashing-embedder.js';

describe('HashingEmbedder', () => {
  describeEmbedder(async () => new HashingEmbedder(), { determinism: 1e-6 });

  it('has the dimensions asked for', async () => {
    const embedder = new HashingEmbedder({ dimensions: 32 });
    expect(await embedder.embedQuery('a question')).toHaveLength(32);
    expect(() => new HashingEmbedder({ dimensions: 0 })).toThrow(RangeError);
  });

  it('gives the same vector in every process and version', async () => {
    const vector = await new HashingEmbedder({ dimensions: 8 }).embedQuery('Refunds take fourteen days');
    expect(Array.from(vector, (value) => Number(value.toFixed(4)))).toMatchInlineSnapshot(`
      [
        0.2253,
        -0.0393,
        0.2253,
        0,
        -0.2253,
        -0.4114,
        0.8228,
        0,
      ]
    `);
  });

  it('puts text that shares words nearer than text that shares none', async () => {
    const embedder = new HashingEmbedder();
    const [query, near, far] = await embedder.embedPassages([
      'refund policy for damaged goods',
      'the policy on refunds of goods',
      'kernel scheduler latency',
    ]);
    expect(dot(query!, near!)).toBeGreaterThan(0.3);
    expect(Math.abs(dot(query!, far!))).toBeLessThan(0.15);
  });
});
