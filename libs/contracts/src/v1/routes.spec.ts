import { expect, it } from '@jest/globals';
import { ROUTES } from './routes.js';

const ONLY_READ = [
  '/v1/search',
  '/v1/context',
  '/v1/reason',
  '/v1/reasoning',
  '/v1/citations/verify',
  '/v1/pd/expand',
  '/v1/pd/search',
  '/v1/audit-events/verify',
];
const ANSWER_SECRETS = ['/v1/api-keys', '/v1/api-keys/:id/rotate', '/v1/tenants'];
/** The provider sends them again itself, and knows no such header. */
const SIGNED = ['/v1/sources/:id/slack-events'];

it('takes an Idempotency-Key on each POST that writes, but where the answer has a secret', () => {
  const without = ROUTES.filter(({ method, idempotent }) => method === 'POST' && idempotent !== true);
  expect(without.map(({ path }) => path).sort()).toEqual([...ONLY_READ, ...ANSWER_SECRETS, ...SIGNED].sort());
  expect(ROUTES.filter(({ method, idempotent }) => method !== 'POST' && idempotent)).toEqual([]);
});
