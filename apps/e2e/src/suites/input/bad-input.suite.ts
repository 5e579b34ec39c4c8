import { beforeAll, describe, expect, it } from '@jest/globals';
import { ROUTES } from '@candor/contracts';
import type { ApiClient } from '@candor/testkit';
import { expectError } from '../../harness/expect-error.js';
import { createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';
import { BAD_DOCUMENTS } from './bad-documents.js';
import { BAD_GENERATIONS } from './bad-generations.js';
import { BAD_INGESTS } from './bad-ingests.js';
import { BAD_KEYS } from './bad-keys.js';
import { BAD_LIBRARY } from './bad-library.js';
import { BAD_QUESTIONS } from './bad-questions.js';
import { BAD_REASONING } from './bad-reasoning.js';
import { BAD_SOURCES } from './bad-sources.js';
import { BAD_PARAMETERS, type BadRequest } from './bad-parameters.js';

const TABLE: BadRequest[] = [
  ...BAD_QUESTIONS,
  ...BAD_REASONING,
  ...BAD_DOCUMENTS,
  ...BAD_GENERATIONS,
  ...BAD_INGESTS,
  ...BAD_KEYS,
  ...BAD_LIBRARY,
  ...BAD_SOURCES,
  ...BAD_PARAMETERS,
];

/** For each endpoint a table of bad requests, with the exact status, type and message. */
export function describeBadInput(world: WorldOf): void {
  describe('bad input', () => {
    let client: ApiClient;
    beforeAll(async () => {
      client = (await createTenant(world(), 'Bad input')).admin;
    });

    it('has bad requests for every endpoint', () => {
      const covered = new Set(TABLE.map(({ route }) => route));
      // What is signed is read only after the signature was checked, and is nobody's mistake then.
      const routes = ROUTES.filter(({ action }) => action !== 'signed').map(({ method, path }) => `${method} ${path}`);
      expect(routes.filter((route) => !covered.has(route))).toEqual([]);
    });

    it.each(TABLE)('$route: $name', async ({ route, path, body, rawBody, message, field }) => {
      const [method = '', template = ''] = route.split(' ');
      const response = await client.send(method, path ?? template, {
        ...(body === undefined ? {} : { body }),
        ...(rawBody === undefined ? {} : { rawBody }),
      });
      expectError(response, { status: 400, type: 'REQUEST.INVALID', message, field });
    });

    it('names up to 20 wrong fields at once', async () => {
      const documents = Array.from({ length: 30 }, () => ({}));
      const error = expectError(await client.post('/v1/ingest', { documents }), {
        status: 400,
        type: 'REQUEST.INVALID',
      });
      expect((error.details?.['issues'] as unknown[]).length).toBe(20);
    });
  });
}
