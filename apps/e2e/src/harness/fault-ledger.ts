import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { ApiResponse } from '@candor/testkit';

/** What Node's own `fetch` says at each request. */
const REQUESTS = 'undici:request:create';

/**
 * Writes down for the table at the end of `npm run test:faults` how much was tried for a promise and how much of it was
 * lost; nothing in other runs. `promise` is a first column of docs/reference/reliability-coverage.md. Without `lost`
 * nobody looked for losses: a number here is one that could have been another.
 */
export function countTried(promise: string, what: string, tried: number, lost: number | null = null): void {
  // Set by the reporter that makes the table, in whatever process runs the suites.
  const file = process.env['CANDOR_FAULT_LEDGER'];
  if (file) appendFileSync(file, `${JSON.stringify({ promise, what, tried, lost })}\n`);
}

/** Answers to requests that have to succeed although something fails; what doesn't is lost. `what` names them in the table. */
export async function expectServed(
  promise: string,
  what: string,
  requests: readonly Promise<ApiResponse>[],
): Promise<ApiResponse[]> {
  const outcomes = await Promise.allSettled(requests);
  const answers = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const lost = outcomes.flatMap((outcome) => {
    if (outcome.status === 'rejected') return [String(outcome.reason)];
    return outcome.value.status < 300 ? [] : [`${outcome.value.status} ${outcome.value.text}`];
  });
  countTried(promise, what, requests.length, lost.length);
  expect(lost).toEqual([]);
  return answers;
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
