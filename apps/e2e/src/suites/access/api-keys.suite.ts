import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  ACTIONS,
  callerRoute,
  createApiKeyRoute,
  listApiKeysRoute,
  revokeApiKeyRoute,
  rotateApiKeyRoute,
  ROUTES,
  searchRoute,
  updateApiKeyRoute,
  type ApiKeyView,
} from '@candor/contracts';
import { fillPath, waitFor, type ApiClient } from '@candor/testkit';
import { readEvents } from '../../harness/audit-trail.js';
import { expectError } from '../../harness/expect-error.js';
import { ingestOne } from '../../harness/ingest.js';
import { createKey, createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';
import { isOfInstallation } from '../operation/sample-requests.js';

const UNKNOWN_ID = '3b6e5a55-4a2a-4a57-9d9f-5d2e9f0e6c11';
const INVALID_KEY = {
  status: 401,
  type: 'AUTH.INVALID_KEY',
  message: 'The API key is unknown, expired or revoked.',
} as const;
const PARAMS = { id: UNKNOWN_ID, requestId: UNKNOWN_ID, chunkId: UNKNOWN_ID };

/** Who may call what, and how keys live and die. */
export function describeApiKeys(world: WorldOf): void {
  describe('API keys', () => {
    let admin: ApiClient;
    beforeAll(async () => {
      admin = (await createTenant(world(), 'Keys')).admin;
    });

    it('are created with a secret that is shown this once', async () => {
      const { data } = await admin.call(createApiKeyRoute, {
        body: {
          name: '  Reader ',
          actorType: 'application',
          allowedActions: ['search', 'search'],
          allowedProviders: ['notion'],
          principals: ['user:a@x.example'],
        },
      });
      expect(data.key).toMatch(/^gm_[A-Za-z0-9]{8,64}_[A-Za-z0-9]{16,128}$/);
      expect(data).toMatchObject({
        name: 'Reader',
        actorType: 'application',
        allowedActions: ['search'],
        allowedProviders: ['notion'],
        principals: ['user:a@x.example'],
        rateLimitPerMinute: 60,
        expiresAt: null,
        revokedAt: null,
      });
      const list = await admin.send('GET', '/v1/api-keys?limit=100');
      expect(list.text).toContain(data.id);
      expect(list.text).not.toContain(data.key);
      expect(list.text).not.toContain(data.key.split('_')[2]);
    });

    it('say who they are', async () => {
      const key = await createKey(admin, { name: 'Me', allowedActions: ['search', 'context'] });
      const { data } = await key.client.call(callerRoute);
      expect(data).toEqual({
        id: key.id,
        name: 'Me',
        email: null,
        externalId: null,
        authMethod: 'api_key',
        permissions: ['search', 'context'],
      });
    });

    it.each(['API-Key', 'Bearer', 'api-key', 'BEARER'])('are sent as "%s"', async (scheme) => {
      const { key } = await createKey(admin);
      const response = await world().anonymous.get('/v1/user/me', { authorization: `${scheme} ${key}` });
      expect(response.status).toBe(200);
    });

    it('are needed for every endpoint of the API', async () => {
      for (const { method, path, action } of ROUTES) {
        // Proved by a signature instead.
        if (action === 'signed') continue;
        const response = await world().anonymous.send(method, fillPath(path, PARAMS));
        expectError(response, {
          status: 401,
          type: 'AUTH.MISSING_KEY',
          message: 'Send an API key in the Authorization header.',
        });
        expect(response.headers.get('www-authenticate')).toBe('Bearer');
      }
    });

    it.each([
      ['no scheme', (key: string) => key],
      ['another scheme', (key: string) => `Basic ${key}`],
      ['an unknown public id', (key: string) => `API-Key ${key.replace(/^gm_..../, 'gm_zzzz')}`],
      ['a wrong secret', (key: string) => `API-Key ${key.slice(0, -4)}0000`],
      ['a secret that is cut', (key: string) => `API-Key ${key.slice(0, -1)}`],
      ['something after the key', (key: string) => `API-Key ${key} x`],
      ['an SQL fragment', () => "API-Key gm_' OR 1=1 --_x"],
      ['nothing', () => 'API-Key '],
    ])('are refused with %s', async (_, headerOf) => {
      const { key } = await createKey(admin);
      expectError(await world().anonymous.get('/v1/user/me', { authorization: headerOf(key) }), INVALID_KEY);
    });

    it('may do what they are allowed and nothing else, on every endpoint', async () => {
      for (const { method, path, action } of ROUTES) {
        if (action === 'authenticated' || action === 'signed') continue;
        const others = ACTIONS.filter((other) => other !== action && other !== 'admin');
        const { client, id } = await createKey(admin, { allowedActions: others });
        const response = await client.send(method, fillPath(path, PARAMS));
        expectError(response, {
          status: 403,
          type: 'AUTH.ACTION_NOT_ALLOWED',
          message: `The API key does not allow the action "${action}".`,
        });
        const [event] = await readEvents(admin, response.requestId);
        expect(event).toMatchObject({ action: 'access.denied', outcome: 'denied', actorApiKeyId: id });
      }
    });

    it('need no more than the one action', async () => {
      for (const { method, path, action } of ROUTES) {
        // Making and limiting tenants is the installation key's alone.
        if (action === 'authenticated' || action === 'signed' || isOfInstallation({ method, path })) continue;
        const { client } = await createKey(admin, { allowedActions: [action] });
        const response = await client.send(method, fillPath(path, PARAMS));
        expect({ path, status: response.status }).not.toEqual({ path, status: 403 });
      }
    });

    it('change by PATCH, which holds for the next request', async () => {
      await ingestOne(admin, {
        title: 'Weir of Alvdal',
        body: 'The weir of Alvdal is opened in April.',
        accessPolicy: { provider: 'slack', mode: 'provider_scope' },
      });
      const { id, client } = await createKey(admin);
      const find = async () =>
        (await client.call(searchRoute, { body: { query: 'When is the weir of Alvdal opened?' } })).hits.length;
      expect(await find()).toBe(1);
      const { data } = await admin.call(updateApiKeyRoute, {
        params: { id },
        body: { name: 'Renamed', allowedProviders: ['gmail'], rateLimitPerMinute: 1000 },
      });
      expect(data).toMatchObject({ id, name: 'Renamed', allowedProviders: ['gmail'], rateLimitPerMinute: 1000 });
      expect(await find()).toBe(0);
      await admin.call(updateApiKeyRoute, { params: { id }, body: { allowedProviders: null, principals: [] } });
      expect(await find()).toBe(1);
    });

    it('rotate: the new secret holds at once, the old one until the overlap ends', async () => {
      const { id, client } = await createKey(admin);
      const { data } = await admin.call(rotateApiKeyRoute, { params: { id }, body: { overlapSeconds: 2 } });
      const renewed = admin.withKey(data.key);
      expect((await renewed.call(callerRoute)).data.id).toBe(id);
      expect((await client.call(callerRoute)).data.id).toBe(id);
      const refused = await waitFor(
        async () => {
          const response = await client.get('/v1/user/me');
          return response.status === 401 ? response : undefined;
        },
        { what: 'the end of the overlap', timeoutMs: 15_000 },
      );
      expectError(refused, INVALID_KEY);
      expect((await renewed.get('/v1/user/me')).status).toBe(200);
      const { data: last } = await admin.call(rotateApiKeyRoute, { params: { id }, body: { overlapSeconds: 0 } });
      expectError(await renewed.get('/v1/user/me'), INVALID_KEY);
      expect((await admin.withKey(last.key).get('/v1/user/me')).status).toBe(200);
    });

    it('die with their revocation, from the very next request on', async () => {
      const { id, client } = await createKey(admin);
      expect((await client.get('/v1/user/me')).status).toBe(200);
      expect((await admin.exchange(revokeApiKeyRoute, { params: { id } })).text).toBe('');
      expectError(await client.get('/v1/user/me'), INVALID_KEY);
      expectError(await client.post('/v1/search', { query: 'anything' }), INVALID_KEY);
      expect((await admin.send('DELETE', `/v1/api-keys/${id}`)).status).toBe(204);
      expectError(await admin.post(`/v1/api-keys/${id}/rotate`), { status: 409, type: 'RESOURCE.CONFLICT' });
      expect((await listAllKeys(admin)).find((key) => key.id === id)?.revokedAt).toEqual(expect.any(String));
    });

    it('expire', async () => {
      const { client } = await createKey(admin, { expiresAt: new Date(Date.now() + 1_500).toISOString() });
      expect((await client.get('/v1/user/me')).status).toBe(200);
      await waitFor(async () => (await client.get('/v1/user/me')).status === 401, {
        what: 'expiry',
        timeoutMs: 15_000,
      });
      expectError(await client.get('/v1/user/me'), INVALID_KEY);
    });

    it('cannot revoke themselves', async () => {
      const { id, client } = await createKey(admin, { allowedActions: ['keys:manage'] });
      expectError(await client.delete(`/v1/api-keys/${id}`), {
        status: 409,
        type: 'API_KEY.SELF_REVOKE',
        message: 'A key cannot revoke itself.',
      });
      expect((await client.get('/v1/user/me')).status).toBe(200);
    });

    it('cannot give what they do not have', async () => {
      const { client } = await createKey(admin, {
        allowedActions: ['keys:manage', 'search'],
        allowedProviders: ['slack', 'notion'],
        principals: ['user:a@x.example', 'group:g@x.example'],
        rateLimitPerMinute: 60,
        expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
      });
      const within = {
        name: 'Child',
        actorType: 'agent',
        allowedActions: ['search'],
        allowedProviders: ['slack'],
        principals: ['user:a@x.example'],
      };
      expect((await client.post('/v1/api-keys', within)).status).toBe(201);
      const beyond: [string, object][] = [
        ['allowedActions', { allowedActions: ['search', 'context'] }],
        ['allowedActions', { allowedActions: ['admin'] }],
        ['allowedProviders', { allowedProviders: null }],
        ['allowedProviders', { allowedProviders: ['slack', 'gmail'] }],
        ['principals', { principals: null }],
        ['principals', { principals: ['user:b@x.example'] }],
        ['rateLimitPerMinute', { rateLimitPerMinute: 61 }],
        ['rateLimitPerMinute', { rateLimitPerMinute: null }],
        ['expiresAt', { expiresAt: null }],
        ['expiresAt', { expiresAt: new Date(Date.now() + 7_200_000).toISOString() }],
      ];
      for (const [field, over] of beyond)
        expectError(await client.post('/v1/api-keys', { ...within, ...over }), {
          status: 403,
          type: 'AUTH.ACTION_NOT_ALLOWED',
          field,
        });
    });

    it('give their own limits where none are asked for', async () => {
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      const parent = await createKey(admin, { allowedActions: ['keys:manage'], rateLimitPerMinute: 60, expiresAt });
      const { data } = await parent.client.call(createApiKeyRoute, {
        body: {
          name: 'Child',
          actorType: 'agent',
          allowedActions: ['keys:manage'],
          allowedProviders: null,
          principals: null,
        },
      });
      expect(data).toMatchObject({ rateLimitPerMinute: 60, expiresAt });
    });

    it('cannot raise themselves or take over a stronger key', async () => {
      const weak = await createKey(admin, { allowedActions: ['keys:manage'], allowedProviders: ['slack'] });
      expectError(await weak.client.send('PATCH', `/v1/api-keys/${weak.id}`, { body: { allowedProviders: null } }), {
        status: 403,
        type: 'AUTH.ACTION_NOT_ALLOWED',
        field: 'allowedProviders',
      });
      const strong = await createKey(admin, { actorType: 'admin', allowedActions: ['admin'] });
      const stolen = await weak.client.post(`/v1/api-keys/${strong.id}/rotate`);
      expectError(stolen, { status: 403, type: 'AUTH.ACTION_NOT_ALLOWED', field: 'allowedActions' });
      expect((await strong.client.get('/v1/user/me')).status).toBe(200);
    });

    it('make tenants only when they are the first', async () => {
      expectError(await admin.post('/v1/tenants', { name: 'Mine' }), {
        status: 403,
        type: 'AUTH.ACTION_NOT_ALLOWED',
        message: "Only the installation's first key can create tenants.",
      });
    });

    it('that do not exist are not found', async () => {
      const notFound = { status: 404, type: 'RESOURCE.NOT_FOUND', message: 'There is no such API key.' } as const;
      expectError(await admin.delete(`/v1/api-keys/${UNKNOWN_ID}`), notFound);
      expectError(await admin.send('PATCH', `/v1/api-keys/${UNKNOWN_ID}`, { body: { name: 'x' } }), notFound);
      expectError(await admin.post(`/v1/api-keys/${UNKNOWN_ID}/rotate`), notFound);
    });
  });
}

/** The suite makes more keys than a page holds. */
async function listAllKeys(admin: ApiClient): Promise<ApiKeyView[]> {
  const keys: ApiKeyView[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await admin.call(listApiKeysRoute, { query: { limit: 100, ...(cursor ? { cursor } : {}) } });
    keys.push(...page.data);
    if (page.pagination.cursor === null) return keys;
    cursor = page.pagination.cursor;
  }
}
