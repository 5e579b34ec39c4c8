import { describe, expect, it } from '@jest/globals';
import { AppError } from '@candor/contracts';
import { scanNewestFirst, type Changed, type NewestFirstScan } from './scan-newest-first.js';

/** As Postgres writes the time so many seconds after an hour. */
const at = (seconds: number): string =>
  new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString().replace('T', ' ').replace('Z', '456+00');

const never = new AbortController().signal;

interface Numbered {
  id: string;
}

/** Everything has a number, and all of it changed long ago; the page size is that of the store. */
function numbers(
  count: number,
  pageSize: number,
): Pick<NewestFirstScan<Numbered>, 'readPage' | 'pageSize' | 'readChanged'> & { pages: number } {
  const store = {
    pages: 0,
    pageSize,
    readChanged: async () => [],
    readPage: async (after: Changed | null): Promise<Changed[]> => {
      store.pages += 1;
      const start = after === null ? 0 : Number(after.id) + 1;
      const length = Math.max(0, Math.min(pageSize, count - start));
      return Array.from({ length }, (_, index) => ({ id: `${start + index}`, updatedAt: at(-start - index) }));
    },
  };
  return store;
}

describe('scanNewestFirst', () => {
  it('looks through everything once, in order, in batches that grow while they are quick', async () => {
    const seen: string[] = [];
    const sizes: number[] = [];
    await scanNewestFirst<Numbered>({
      ...numbers(5_000, 1_500),
      findIn: async (ids) => {
        seen.push(...ids);
        sizes.push(ids.length);
        return [];
      },
      isEnough: () => false,
      signal: never,
    });
    expect(seen).toEqual(Array.from({ length: 5_000 }, (_, number) => `${number}`));
    expect(sizes.slice(0, 3)).toEqual([32, 64, 128]);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000);
  });

  it('takes fewer at a time while they are slow', async () => {
    const sizes: number[] = [];
    await scanNewestFirst<Numbered>({
      ...numbers(60, 60),
      findIn: async (ids) => {
        sizes.push(ids.length);
        if (sizes.length === 1) await new Promise((resolve) => setTimeout(resolve, 450));
        return [];
      },
      isEnough: () => false,
      signal: never,
    });
    expect(sizes.slice(0, 2)).toEqual([32, 8]);
  });

  const timeout = new AppError('DEPENDENCY.DATABASE_UNAVAILABLE', {
    cause: Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' }),
  });

  it('looks through the same again in halves when a batch takes longer than a statement may', async () => {
    const sizes: number[] = [];
    const seen: string[] = [];
    await scanNewestFirst<Numbered>({
      ...numbers(40, 40),
      findIn: async (ids) => {
        sizes.push(ids.length);
        if (ids.length > 10) throw timeout;
        seen.push(...ids);
        return [];
      },
      isEnough: () => false,
      signal: never,
    });
    expect(sizes.slice(0, 3)).toEqual([32, 16, 8]);
    expect(seen).toEqual(Array.from({ length: 40 }, (_, number) => `${number}`));
  });

  it('fails when one alone takes too long, and at once with any other failure', async () => {
    const sizes: number[] = [];
    const scanThatThrows = (error: Error): Promise<void> =>
      scanNewestFirst<Numbered>({
        ...numbers(40, 40),
        findIn: async (ids) => {
          sizes.push(ids.length);
          throw error;
        },
        isEnough: () => false,
        signal: never,
      });
    await expect(scanThatThrows(timeout)).rejects.toBe(timeout);
    expect(sizes.splice(0)).toEqual([32, 16, 8, 4, 2, 1]);
    await expect(scanThatThrows(new AppError('DEPENDENCY.DATABASE_UNAVAILABLE'))).rejects.toThrow();
    expect(sizes).toEqual([32]);
  });

  it('ends when enough was found', async () => {
    const store = numbers(1_000, 100);
    const found: string[] = [];
    await scanNewestFirst<Numbered>({
      ...store,
      findIn: async (ids) => ids.map((id) => ({ id })),
      isEnough: ({ id }) => found.push(id) === 3,
      signal: never,
    });
    expect(found).toEqual(['0', '1', '2']);
    expect(store.pages).toBe(1);
  });

  it('looks in the end through what changed between two pages, once', async () => {
    const changed: Changed[] = [];
    const seen: string[] = [];
    const found: string[] = [];
    await scanNewestFirst<Numbered>({
      ...numbers(250, 100),
      // Two that weren't reached yet, one of the last page and one of the first.
      readChanged: async (since) => {
        changed.push(since);
        return ['new', 'moved', '240', '7'];
      },
      findIn: async (ids) => {
        seen.push(...ids);
        return ids.map((id) => ({ id }));
      },
      isEnough: ({ id }) => found.push(id) < 0,
      signal: never,
    });
    expect(changed).toEqual([{ id: '0', updatedAt: at(0) }]);
    expect(seen.slice(250)).toEqual(['new', 'moved', '240']);
    expect(found.slice(249)).toEqual(['249', 'new', 'moved']);
    expect(found).toHaveLength(252);
  });

  it('reads neither a second page nor changes when the first one holds all', async () => {
    const store = numbers(20, 100);
    await scanNewestFirst<Numbered>({
      ...store,
      readChanged: () => Promise.reject(new Error('not to be asked')),
      findIn: async () => [],
      isEnough: () => false,
      signal: never,
    });
    expect(store.pages).toBe(1);
  });

  it('ends between two batches when its caller has gone', async () => {
    const controller = new AbortController();
    let batches = 0;
    const scan = scanNewestFirst<Numbered>({
      ...numbers(1_000, 1_000),
      findIn: async () => {
        batches += 1;
        controller.abort();
        return [];
      },
      isEnough: () => false,
      signal: controller.signal,
    });
    await expect(scan).rejects.toMatchObject({ code: 'REQUEST.CANCELLED' });
    expect(batches).toBe(1);
  });
});
