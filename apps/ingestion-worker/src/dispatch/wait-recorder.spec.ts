import { randomUUID } from 'node:crypto';
import { AppError } from '@candor/contracts';
import type { JobFailure } from '@candor/queue';
import { WaitRecorder } from './wait-recorder.js';

const AT = new Date('2026-03-01T10:00:00Z');

function failureOf(fields: Partial<JobFailure> = {}): JobFailure {
  const [tenantId, requestId, itemId] = [randomUUID(), randomUUID(), randomUUID()];
  return {
    job: 'item.index',
    jobId: 'index-1',
    queue: 'index-item',
    attempt: 1,
    outcome: 'park',
    error: new AppError('DEPENDENCY.INDEX_UNAVAILABLE'),
    payload: { tenantId, requestId, itemId, version: 1, epoch: 0 },
    nextAttemptAt: AT,
    ...fields,
  };
}

describe('WaitRecorder', () => {
  const start = (refusal?: Error) => {
    const commits: { tenants: number; parameters: unknown[][] }[] = [];
    const warnings: unknown[] = [];
    const database = {
      forTenants: (tenantIds: readonly string[]) => ({
        transaction: async (work: (transaction: unknown) => Promise<void>) => {
          if (refusal) throw refusal;
          await work({
            query: async (_text: string, parameters: unknown[][]) =>
              void commits.push({ tenants: tenantIds.length, parameters }),
          });
        },
      }),
    };
    const logger = { warn: (fields: unknown) => void warnings.push(fields) };
    return { recorder: new WaitRecorder(database as never, logger as never), commits, warnings };
  };

  it('writes what failed together in one commit', async () => {
    const { recorder, commits } = start();
    await Promise.all([recorder.record(failureOf()), recorder.record(failureOf({ job: 'item.extract' }))]);
    expect(commits).toHaveLength(1);
    expect(commits[0]?.parameters.slice(3)).toEqual([
      ['DEPENDENCY.INDEX_UNAVAILABLE', 'DEPENDENCY.INDEX_UNAVAILABLE'],
      [expect.any(String), expect.any(String)],
      [AT.toISOString(), AT.toISOString()],
      [expect.any(Number), expect.any(Number)],
    ]);
  });

  it('writes nothing of what ended, of other jobs, and of what names no item', async () => {
    const { recorder, commits } = start();
    await recorder.record(failureOf({ nextAttemptAt: null }));
    await recorder.record(failureOf({ job: 'source.sync' }));
    await recorder.record(failureOf({ payload: { itemId: 'x' } }));
    expect(commits).toEqual([]);
  });

  it('says that it could not write, and fails nobody', async () => {
    const { recorder, warnings } = start(new AppError('DEPENDENCY.DATABASE_UNAVAILABLE'));
    await recorder.record(failureOf());
    expect(warnings).toEqual([{ code: 'DEPENDENCY.DATABASE_UNAVAILABLE' }]);
  });
});
