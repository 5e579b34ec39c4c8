import { describe, expect, it } from '@jest/globals';
import { AppError } from '@candor/contracts';
import { scanNewestFirst, type Changed, type NewestFirstScan } from './scan-newest-first.js';

const never = new AbortController().signal;

/** Everything has a number; the page size is that of the store. */
function numbers(count: number, pageSize: number): Pick<NewestFirstScan<number>, 'readPage'> & { pages: number } {
  const store = {
    pages: 0,
    readPage: async (after: Changed | null): Promise<Changed[]> => {
      store.pages += 1;
      const start = after === null ? 0 : Number(after.id) + 1;
      const length = Math.max(0, Math.min(pageSize, count - start));
      return Array.from({ length }, (_, index) => ({ id: `${start + index}`, updatedAt: 'then' }));
    },
  };
  return store;
}

describe('scanNewestFirst', () => {
  it('looks through everything once, in order, in batches that grow while they are quick', async () => {
    const seen: string[] = [];
    const sizes: number[] = [];
    await scanNewestFirst<number>({
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
    await scanNewestFirst<number>({
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
    await scanNewestFirst<number>({
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
      scanNewestFirst<number>({
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
    const found: number[] = [];
    await scanNewestFirst<number>({
      readPage: store.readPage,
      findIn: async (ids) => ids.map(Number),
      isEnough: (number) => found.push(number) === 3,
      signal: never,
    });
    expect(found).toEqual([0, 1, 2]);
    expect(store.pages).toBe(1);
  });

  it('ends between two batches when its caller has gone', async () => {
    const controller = new AbortController();
    let batches = 0;
    const scan = scanNewestFirst<number>({
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
