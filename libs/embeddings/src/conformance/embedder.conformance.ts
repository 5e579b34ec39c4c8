import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { AppError } from '@candor/contracts';
import type { Embedder } from '../embedder.port.js';

export interface ConformanceExpectations {
  /** Two vectors of the same text may differ this much in cosine. */
  determinism: number;
}

const PASSAGES = [
  'Refunds are paid within fourteen days of the return.',
  'The on-call engineer restarts the queue after a failover.',
  'Quarterly revenue grew by eleven percent.',
  'The office in Lisbon closes at six.',
  'Backups are kept for ninety days and then erased.',
];

/** What every adapter of the port promises; to be called inside a `describe`. */
export function describeEmbedder(load: () => Promise<Embedder>, expectations: ConformanceExpectations): void {
  let embedder: Embedder;

  beforeAll(async () => {
    embedder = await load();
  });

  afterAll(async () => {
    await embedder.close();
  });

  const expectUnitVector = (vector: Float32Array): void => {
    expect(vector).toBeInstanceOf(Float32Array);
    expect(vector).toHaveLength(embedder.profile.dimensions);
    expect(Math.abs(dot(vector, vector) - 1)).toBeLessThan(1e-4);
  };

  it('states a complete profile', () => {
    const { model, revision, dimensions, maxTokens } = embedder.profile;
    expect(model).not.toBe('');
    expect(revision).not.toBe('');
    expect(dimensions).toBeGreaterThan(0);
    expect(maxTokens).toBeGreaterThan(0);
  });

  it('gives unit vectors of the stated dimensions', async () => {
    expectUnitVector(await embedder.embedQuery('How long do refunds take?'));
    for (const vector of await embedder.embedPassages(PASSAGES)) expectUnitVector(vector);
  });

  it('keeps the order of the texts', async () => {
    const together = await embedder.embedPassages(PASSAGES);
    const reversed = await embedder.embedPassages(PASSAGES.toReversed());
    expect(together).toHaveLength(PASSAGES.length);
    for (const [index, vector] of together.entries()) {
      expect(dot(vector, reversed[PASSAGES.length - 1 - index]!)).toBeGreaterThan(1 - expectations.determinism);
    }
    expect(dot(together[0]!, together[1]!)).toBeLessThan(0.99);
  });

  it("is deterministic, whatever a text's neighbours", async () => {
    const [alone] = await embedder.embedPassages([PASSAGES[2]!]);
    const [, , among] = await embedder.embedPassages(PASSAGES);
    expect(dot(alone!, among!)).toBeGreaterThan(1 - expectations.determinism);
    const [first, second] = [await embedder.embedQuery('same'), await embedder.embedQuery('same')];
    expect(dot(first, second)).toBeGreaterThan(1 - expectations.determinism);
  });

  it('ranks the passage that shares the subject first', async () => {
    const query = await embedder.embedQuery('How many days are backups kept?');
    const scores = (await embedder.embedPassages(PASSAGES)).map((vector) => dot(query, vector));
    expect(scores.indexOf(Math.max(...scores))).toBe(4);
  });

  it('gives nothing for nothing', async () => {
    expect(await embedder.embedPassages([])).toEqual([]);
    expect(embedder.countTokens('')).toBe(0);
  });

  it.each([
    ['empty text', ''],
    ['white space', ' \n\t '],
    ['other scripts', 'Дом — это дом. 日本語のテキスト。 עברית العربية'],
    ['emoji and joiners', '👩‍👩‍👧‍👦 🇵🇹 é e\u0301'],
    ['a lone surrogate', 'half \ud83d pair'],
    ['control characters', 'a\u0000b\u200bc\ufeff'],
  ])('takes %s', async (_, text) => {
    expectUnitVector(await embedder.embedQuery(text));
    const [vector] = await embedder.embedPassages([text]);
    expectUnitVector(vector!);
  });

  it('cuts text that is too long', async () => {
    const long = 'The retention rule applies to every record of the archive. '.repeat(20_000);
    const [vector, cut] = await embedder.embedPassages([long, `${long} A different end.`]);
    expectUnitVector(vector!);
    expect(dot(vector!, cut!)).toBeGreaterThan(1 - expectations.determinism);
    const [noSpaces] = await embedder.embedPassages(['x'.repeat(1_000_000)]);
    expectUnitVector(noSpaces!);
  });

  it('counts tokens in proportion to the text', () => {
    const one = embedder.countTokens('The retention rule applies to every record. ');
    expect(one).toBeGreaterThanOrEqual(6);
    expect(one).toBeLessThanOrEqual(20);
    const thousand = embedder.countTokens('The retention rule applies to every record. '.repeat(1_000));
    expect(thousand / one).toBeGreaterThan(850);
    expect(thousand / one).toBeLessThan(1_150);
  });

  it('refuses at once when the signal has aborted before', async () => {
    const signal = AbortSignal.abort();
    await expectCancelled(embedder.embedQuery('late', signal));
    await expectCancelled(embedder.embedPassages(PASSAGES, signal));
  });

  it('works on after an abort under way', async () => {
    const abort = new AbortController();
    const many = Array.from({ length: 300 }, (_, index) => `${PASSAGES[index % PASSAGES.length]} Number ${index}.`);
    const passages = embedder.embedPassages(many, abort.signal).catch((error: unknown) => error);
    abort.abort();
    const outcome = await passages;
    // An adapter that was done before the abort may give its vectors.
    if (!Array.isArray(outcome)) expect(outcome).toMatchObject({ code: 'REQUEST.CANCELLED' });
    expectUnitVector(await embedder.embedQuery('still there?'));
  });
}

async function expectCancelled(promise: Promise<unknown>): Promise<void> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(AppError);
  expect(error).toMatchObject({ code: 'REQUEST.CANCELLED' });
}

export function dot(left: Float32Array, right: Float32Array): number {
  return left.reduce((sum, value, index) => sum + value * right[index]!, 0);
}
