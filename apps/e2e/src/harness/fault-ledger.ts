import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { afterAll, beforeAll, describe } from '@jest/globals';

/** What Node's own `fetch` says at each request. */
const REQUESTS = 'undici:request:create';

/**
 * Writes down for the table at the end of `npm run test:faults` how much was tried for a promise and how much of it was
 * lost; nothing in other runs. `promise` is a first column of docs/reference/reliability-coverage.md.
 */
export function countTried(promise: string, what: string, tried: number, lost = 0): void {
  // Set by the reporter that makes the table, in whatever process runs the suites.
  const file = process.env['CANDOR_FAULT_LEDGER'];
  if (file) appendFileSync(file, `${JSON.stringify({ promise, what, tried, lost })}\n`);
}

/** The suites that show one promise. Their tests and the requests they send are counted for it. */
export function describePromise(promise: string, describeSuites: () => void): void {
  describe(promise, () => {
    let requests = 0;
    const count = (): void => void (requests += 1);
    beforeAll(() => subscribe(REQUESTS, count));
    afterAll(() => {
      unsubscribe(REQUESTS, count);
      countTried(promise, 'requests', requests);
    });
    describeSuites();
  });
}
