import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { ROUTES, type RouteContract } from '@candor/contracts';
import { buildDocument, fillPath, type ApiClient, type ApiResponse } from '@candor/testkit';
import { expectNothingFromInside } from '../../harness/expect-error.js';
import { createKey, createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

const ID = '0f3d5f36-2d1e-4a2f-9a77-1f6f7b2f0a55';
const PARAMS = { id: ID, chunkId: ID, requestId: ID };
const BODIES_A_ROUTE = 8;
const SEED = 20_261_130;
/** JSON can say it, an address can't. */
const HALF_A_CHARACTER = '\ud800';
/** What has meant something to a database, a query language, a shell, a template or a parser. */
const METACHARACTERS = [
  `'; DROP TABLE tenants; --`,
  `" OR 1=1 --`,
  '{"match_all":{}}',
  '(*) AND tenantId:*',
  '${jndi:ldap://x}',
  '{{7*7}}',
  '%00',
  '\u0000',
  HALF_A_CHARACTER,
  '../../etc/passwd',
  '__proto__',
];

const MEBIBYTE = 1024 * 1024;
const MAX_GROWTH_BYTES = 80 * MEBIBYTE;

interface LargeBody {
  what: string;
  path: string;
  body: () => string;
  status: number;
  warmUps: number;
  times: number;
}

const LARGE_BODIES: LargeBody[] = [
  {
    what: 'ten times what the route takes',
    path: '/v1/search',
    body: () => `{"query":"${'q'.repeat(10 * MEBIBYTE)}"}`,
    status: 413,
    warmUps: 5,
    times: 40,
  },
  {
    // Parsed whole, and refused for its last document.
    what: 'all that an ingest takes',
    path: '/v1/ingest',
    body: () => {
      const documents = ['a', 'b'].map((letter) => buildDocument({ body: letter.repeat(9.5 * MEBIBYTE) }));
      return JSON.stringify({ documents: [...documents, { ...buildDocument(), title: '' }] });
    },
    status: 400,
    warmUps: 5,
    times: 15,
  },
  {
    what: 'nesting as deep as a query takes bytes',
    path: '/v1/search',
    body: () => nest(MEBIBYTE - 1_024),
    status: 400,
    warmUps: 20,
    times: 200,
  },
];

/** So many bytes of brackets, as a field's value. */
function nest(bytes: number): string {
  const levels = Math.floor(bytes / 2);
  return `{"query":${'['.repeat(levels)}${']'.repeat(levels)}}`;
}

/** Bodies with the fields that a route knows, and anything in them: an answer or a clear refusal, on every route. */
export function describeFuzzedBodies(world: WorldOf): void {
  describe('fuzzed bodies', () => {
    let client: ApiClient;
    beforeAll(async () => {
      const { admin } = await createTenant(world(), 'Fuzzed');
      client = (await createKey(admin, { actorType: 'admin', allowedActions: ['admin'] })).client;
    });

    const value = fc.oneof(
      { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
      { weight: 2, arbitrary: fc.constantFrom<unknown>(...METACHARACTERS) },
      fc.string({ unit: 'binary', maxLength: 50 }),
      fc.array(fc.constantFrom<unknown>(...METACHARACTERS, ID, 1e308, -1, null), { maxLength: 5 }),
    );

    function bodiesFor(route: RouteContract): unknown[] {
      const schema = z.toJSONSchema(route.body ?? z.object({}), { io: 'input', unrepresentable: 'any' });
      const fields = Object.keys(schema.properties ?? {});
      const known = fc.record(Object.fromEntries(fields.map((field) => [field, value])), { requiredKeys: [] });
      return fc.sample(fc.oneof({ weight: 4, arbitrary: known }, value), { numRuns: BODIES_A_ROUTE, seed: SEED });
    }

    function expectAnswerOrRefusal(name: string, body: unknown, response: ApiResponse): void {
      const said = [name, JSON.stringify(body)?.slice(0, 300), response.status];
      expect([...said, response.status < 500]).toEqual([...said, true]);
      if (response.status < 400) return;
      expect(response.body).toMatchObject({
        error: {
          code: response.status,
          type: expect.stringMatching(/^[A-Z_]+\.[A-Z_]+$/),
          message: expect.any(String),
        },
      });
      expectNothingFromInside(response.text);
    }

    it('are answered or refused on every route, and never end in a failure of ours', async () => {
      const routes = ROUTES.filter(({ body, action }) => body !== undefined && action !== 'signed');
      expect(routes.length).toBeGreaterThan(25);
      for (const route of routes) {
        const name = `${route.method} ${route.path}`;
        for (const body of bodiesFor(route)) {
          const response = await client.send(route.method, fillPath(route.path, PARAMS), { body });
          expectAnswerOrRefusal(name, body, response);
        }
      }
    }, 240_000);

    it('are answered or refused in queries too', async () => {
      for (const route of ROUTES.filter(({ query, method }) => query !== undefined && method === 'GET')) {
        const { properties = {} } = z.toJSONSchema(route.query ?? z.object({}), {
          io: 'input',
          unrepresentable: 'any',
        });
        for (const field of Object.keys(properties))
          for (const text of METACHARACTERS.filter((each) => each !== HALF_A_CHARACTER)) {
            const path = `${fillPath(route.path, PARAMS)}?${field}=${encodeURIComponent(text)}`;
            expectAnswerOrRefusal(`${route.path} ${field}`, text, await client.get(path));
          }
      }
    }, 240_000);

    it.each(LARGE_BODIES)(
      'leave memory as it was, however large they are: $what',
      async ({ path, body, status, warmUps, times }) => {
        const resident = async (): Promise<number> => {
          const { text } = await world().anonymous.get('/metrics');
          return Number(/^process_resident_memory_bytes\{?.*?\}? (\S+)$/m.exec(text)?.[1]);
        };
        const rawBody = body();
        const send = async (count: number): Promise<void> => {
          for (let sent = 0; sent < count; sent += 1)
            expect((await client.send('POST', path, { rawBody })).status).toBe(status);
        };
        await send(warmUps);
        const before = await resident();
        expect(before).toBeGreaterThan(0);
        await send(times);
        const grown = (await resident()) - before;
        // What was sent is several times as much; what is kept of each body would add up to more than the bound.
        expect(rawBody.length * times).toBeGreaterThan(2 * MAX_GROWTH_BYTES);
        expect(grown).toBeLessThan(MAX_GROWTH_BYTES);
      },
      240_000,
    );
  });
}
