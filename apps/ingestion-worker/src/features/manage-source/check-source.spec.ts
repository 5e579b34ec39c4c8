import { randomUUID } from 'node:crypto';
import { AppError } from '@candor/contracts';
import { CheckSourceService } from './check-source.service.js';

const CHECK = randomUUID();

/** What is written of a check when the provider answers so. */
async function checkWith(
  answer: (signal: AbortSignal) => Promise<{ account: string }>,
  signal = new AbortController().signal,
) {
  const written: { status: string; error: { type: string } | null }[] = [];
  const overrides: unknown[] = [];
  const source = { id: 's', provider: 'slack', lastCheck: { id: CHECK, status: 'pending' } };
  const database = {
    read: async () => source,
    transaction: (work: (transaction: unknown) => Promise<void>) =>
      work({ query: async (_text: string, [, check]: string[]) => void written.push(JSON.parse(check ?? '')) }),
  };
  const connectors = {
    open: async (_source: unknown, given: unknown) => {
      overrides.push(given);
      return { check: answer };
    },
  };
  const service = new CheckSourceService(database as never, connectors as never);
  await service.check({ tenantId: 't', sourceId: 's', checkId: CHECK, requestId: 'r' } as never, signal);
  return { written, overrides };
}

describe('CheckSourceService', () => {
  it('tells of the account, and asks for an answer sooner than a sync would', async () => {
    const { written, overrides } = await checkWith(async () => ({ account: 'Ada' }));
    expect(written).toMatchObject([{ id: CHECK, status: 'ok', account: 'Ada', error: null }]);
    expect(overrides).toEqual([{ retry: { budgetMs: 5_000, firstPauseMs: 500 } }]);
  });

  it.each([
    ['CONNECTOR.CREDENTIALS_REJECTED', 'rejected'],
    ['CONNECTOR.UNAVAILABLE', 'unavailable'],
    ['CONNECTOR.RATE_LIMITED', 'unavailable'],
  ] as const)('%s → %s', async (code, status) => {
    const { written } = await checkWith(async () => {
      throw new AppError(code);
    });
    expect(written).toMatchObject([{ status, error: { type: code } }]);
  });

  it('leaves it open while the worker itself lacks something, or stops', async () => {
    const down = checkWith(async () => {
      throw new AppError('DEPENDENCY.DATABASE_UNAVAILABLE');
    });
    await expect(down).rejects.toMatchObject({ code: 'DEPENDENCY.DATABASE_UNAVAILABLE' });
    const stopping = new AbortController();
    const stopped = checkWith(async (signal) => {
      stopping.abort(new AppError('REQUEST.CANCELLED'));
      signal.throwIfAborted();
      return { account: '' };
    }, stopping.signal);
    await expect(stopped).rejects.toMatchObject({ code: 'REQUEST.CANCELLED' });
  });
});
