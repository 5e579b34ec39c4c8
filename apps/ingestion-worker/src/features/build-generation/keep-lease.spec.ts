import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { GenerationWorkPayload } from '@candor/contracts';
import type { Database } from '@candor/persistence';
import { keepLease } from './keep-lease.js';

const job = {} as GenerationWorkPayload;
const never = new AbortController().signal;

/** Answers the lease's question in turn; the last answer for ever. */
function databaseOf(...answers: (boolean | Error)[]): { database: Database; asked: () => number } {
  let asked = 0;
  const read = async (): Promise<boolean> => {
    const answer = answers[Math.min(asked, answers.length - 1)] ?? true;
    asked += 1;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { database: { read } as unknown as Database, asked: () => asked };
}

describe('the lease of a slice', () => {
  it('ends the work that somebody else has taken over, also after the database was away', async () => {
    const { database, asked } = databaseOf(true, new Error('away'), false);
    const lease = keepLease(database, job, never, 1);
    await once(lease.signal, 'abort');
    expect(asked()).toBe(3);
    expect(lease.isLost).toBe(true);
    lease.release();
  });

  it('follows the job’s own signal, which is no loss', () => {
    const abort = new AbortController();
    const lease = keepLease(databaseOf(true).database, job, abort.signal, 1);
    abort.abort();
    expect([lease.signal.aborted, lease.isLost]).toEqual([true, false]);
    lease.release();
  });
});
