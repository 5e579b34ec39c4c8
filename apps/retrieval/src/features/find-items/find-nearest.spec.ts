import { describe, expect, it } from '@jest/globals';
import type { LibraryVector } from '@candor/persistence/views';
import { findNearest } from './find-nearest.js';

const QUERY = Float32Array.of(1, 0);
const never = new AbortController().signal;

/** A vector of length one with this cosine to the query. */
function near(id: string, cosine: number): LibraryVector {
  return { id, vector: Float32Array.of(cosine, Math.sqrt(1 - cosine * cosine)) };
}

async function* pagesOf(
  pages: readonly LibraryVector[][],
  onPage = (_number: number): void => undefined,
): AsyncGenerator<LibraryVector[]> {
  for (const [number, page] of pages.entries()) {
    onPage(number);
    yield page;
  }
}

describe('findNearest', () => {
  const pages = [
    [near('a', 0.5), near('b', 0.75)],
    [near('d', 0.5), near('c', 1)],
  ];

  it('gives the nearest of all pages, of equal ones the smaller id', async () => {
    const found = await findNearest(pagesOf(pages), QUERY, { floor: null, limit: 3, signal: never });
    expect(found.map(({ id }) => id)).toEqual(['c', 'b', 'a']);
  });

  it('leaves out what is below the floor', async () => {
    const found = await findNearest(pagesOf(pages), QUERY, { floor: 0.6, limit: 3, signal: never });
    expect(found.map(({ id }) => id)).toEqual(['c', 'b']);
  });

  it('reads no further page once its caller is gone', async () => {
    const gone = new AbortController();
    const read: number[] = [];
    const source = pagesOf([...pages, ...pages], (number) => {
      read.push(number);
      if (number === 1) gone.abort();
    });
    const finding = findNearest(source, QUERY, { floor: null, limit: 3, signal: gone.signal });
    await expect(finding).rejects.toMatchObject({ code: 'REQUEST.CANCELLED' });
    expect(read).toEqual([0, 1]);
  });
});
