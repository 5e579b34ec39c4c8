import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { ROUTES, type RouteContract } from '@candor/contracts';
import { buildDocument, fillPath, type ApiClient, type ApiResponse } from '@candor/testkit';
import { expectError, expectNothingFromInside } from '../../harness/expect-error.js';
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
interface LargeBody {
  what: string;
  path: string;
  body: () => string;
  status: number;
  /** So many that a full collection of garbage happens among them. */
  window: number;
  /** So many after the first window; the last of them are the second one. */
  times: number;
  /** Most growth, bytes: far less than all that `times` of them are, or are made into. Nothing but what is kept adds up. */
  most: number;
}

const LARGE_BODIES: LargeBody[] = [
  {
    what: 'ten times what the route takes',
    path: '/v1/search',
    body: () => `{"query":"${'q'.repeat(10 * MEBIBYTE)}"}`,
    status: 413,
    window: 8,
    times: 40,
    most: 80 * MEBIBYTE,
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
    window: 15,
    times: 40,
    // Of 760 MiB. V8 lets so large texts lie for some 250 MiB before it collects them.
    most: 400 * MEBIBYTE,
  },
  {
    // A list, of two bytes here, takes some fifty once it is parsed.
    what: 'nothing but nesting',
    path: '/v1/search',
    body: () => nest(MEBIBYTE - 1_024),
    status: 400,
    window: 8,
    times: 20,
    // Of 20 times 25.
    most: 80 * MEBIBYTE,
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

    const resident = async (): Promise<number> => {
      const { text } = await world().anonymous.get('/metrics');
      return Number(/^process_resident_memory_bytes\{?.*?\}? (\S+)$/m.exec(text)?.[1]);
    };

    it.each([
      ['levels', nest(20 * MEBIBYTE - 1_024), 'body must not be nested deeper than 100 levels'],
      ['values', `{"documents":[${'[],'.repeat(6.5 * MEBIBYTE)}[]]}`, 'body must not hold more than 500000 values'],
    ])('are not made into millions of %s', async (_, rawBody, message) => {
      const before = await resident();
      expectError(await client.send('POST', '/v1/ingest', { rawBody }), {
        status: 400,
        type: 'REQUEST.INVALID',
        message,
        field: 'body',
      });
      // A few copies of its bytes; parsed, they would be forty times as much.
      expect((await resident()) - before).toBeLessThan(5 * rawBody.length);
    });

    it.each(LARGE_BODIES)(
      'leave memory as it was, however large they are: $what',
      async ({ path, body, status, window, times, most }) => {
        const rawBody = body();
        /** Resident memory goes up and down with the collections of garbage: what is left after one is what counts. */
        const lowestOver = async (count: number): Promise<number> => {
          let lowest = Infinity;
          for (let sent = 0; sent < count; sent += 1) {
            expect((await client.send('POST', path, { rawBody })).status).toBe(status);
            lowest = Math.min(lowest, await resident());
          }
          return lowest;
        };
        await lowestOver(5);
        const before = await lowestOver(window);
        expect(before).toBeGreaterThan(0);
        await lowestOver(times - window);
        expect((await lowestOver(window)) - before).toBeLessThan(most);
      },
      240_000,
    );
  });
}
