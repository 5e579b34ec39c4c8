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
    const asked: (Changed | null)[] = [];
    const seen: string[] = [];
    const found: string[] = [];
    const changes = [
      // As they were on the second page and on the first.
      { id: '110', updatedAt: at(-110) },
      { id: '7', updatedAt: at(-7) },
      // Changed since: two that weren't reached, one that was.
      { id: 'new', updatedAt: at(1) },
      { id: 'moved', updatedAt: at(2) },
      { id: '240', updatedAt: at(3) },
    ];
    await scanNewestFirst<Numbered>({
      ...numbers(250, 100),
      readChanged: async (since, after) => {
        asked.push(since, after);
        return changes;
      },
      findIn: async (ids) => {
        seen.push(...ids);
        return ids.map((id) => ({ id }));
      },
      isEnough: ({ id }) => found.push(id) < 0,
      signal: never,
    });
    expect(asked).toEqual([{ id: '0', updatedAt: at(0) }, null]);
    expect(seen.slice(250)).toEqual(['new', 'moved', '240']);
    expect(found.slice(249)).toEqual(['249', 'new', 'moved']);
    expect(found).toHaveLength(252);
  });

  it('reads by the page what changed, and looks through nothing twice that stayed as it was', async () => {
    // An import at one moment: all of it is new enough to come again.
    const all = Array.from({ length: 1_000 }, (_, number) => ({ id: `${number}`, updatedAt: at(0) }));
    const pageAfter = (list: Changed[], after: Changed | null): Changed[] => {
      const start = after === null ? 0 : list.findIndex(({ id }) => id === after.id) + 1;
      return list.slice(start, start + 100);
    };
    const late = { id: '500', updatedAt: at(5) };
    const changes = [...all.filter(({ id }) => id !== late.id).reverse(), late];
    const seen: string[] = [];
    let pages = 0;
    await scanNewestFirst<Numbered>({
      pageSize: 100,
      readPage: async (after) => pageAfter(all, after),
      readChanged: async (_since, after) => {
        pages += 1;
        return pageAfter(changes, after);
      },
      findIn: async (ids) => {
        seen.push(...ids);
        return [];
      },
      isEnough: () => false,
      signal: never,
    });
    expect(seen.slice(0, 1_000)).toEqual(all.map(({ id }) => id));
    expect(seen.slice(1_000)).toEqual(['500']);
    // The last one is empty: the one before was full.
    expect(pages).toBe(11);
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
