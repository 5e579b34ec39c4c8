import { describe, expect, it } from '@jest/globals';
import { ERROR_CATALOGUE, ROUTES } from '@candor/contracts';
import { expectError } from '../../harness/expect-error.js';
import type { WorldOf } from '../../harness/world.js';

interface OpenApi {
  openapi: string;
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>;
  components: { schemas: { Error: { properties: { error: { properties: { type: { enum: string[] } } } } } } };
}

/** What the operator and the newcomer look at; no key is needed for it. */
export function describeOperations(world: WorldOf): void {
  describe('operation', () => {
    it('is alive and ready, and says what it checked', async () => {
      const alive = await world().anonymous.get('/healthz');
      expect([alive.status, alive.body]).toEqual([200, { status: 'ok' }]);
      const ready = await world().anonymous.get('/readyz');
      expect(ready.status).toBe(200);
      const { status, checks } = ready.body as { status: string; checks: Record<string, string> };
      expect(status).toBe('ok');
      expect(checks).toMatchObject({ database: 'ok', queue: 'ok' });
      expect(Object.values(checks).every((check) => check === 'ok')).toBe(true);
    });

    it('shows metrics for Prometheus, without ids or queries as labels', async () => {
      await world().admin.post('/v1/search', { query: 'planted-metric-query' });
      await world().admin.get('/v1/source-items/5d0b7c1e-7a52-4a85-9b6e-0f6c6c1d2e3f');
      const response = await world().anonymous.get('/metrics');
      expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
      expect(response.text).toMatch(/http_request_duration\w*_count\{[^}]*\/v1\/search/);
      expect(response.text).not.toMatch(/planted-metric-query|5d0b7c1e|gm_/);
    });

    it('describes every route in OpenAPI 3.1, with every error type', async () => {
      const response = await world().anonymous.get('/openapi.json');
      expect(response.status).toBe(200);
      const document = response.body as OpenApi;
      expect(document.openapi).toBe('3.1.0');
      for (const { method, path, status } of ROUTES) {
        const operation = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
        expect([path, Object.keys(operation?.responses ?? {})]).toEqual([path, [String(status), 'default']]);
      }
      const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
      expect(operations).toHaveLength(ROUTES.length);
      expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(ROUTES.length);
      const types = document.components.schemas.Error.properties.error.properties.type.enum;
      expect(types.sort()).toEqual(Object.keys(ERROR_CATALOGUE).sort());
    });

    it('says in OpenAPI what a validated quotation proves, and what not', async () => {
      const { text } = await world().anonymous.get('/openapi.json');
      expect(text).toContain('proves source linkage, not that the statement follows from it');
    });

    it('has a page for people, without scripts', async () => {
      const response = await world().anonymous.get('/docs');
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toMatch(/^text\/html/);
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      for (const { path } of ROUTES) expect(response.text).toContain(path);
      expect(response.text).not.toMatch(/<script/i);
    });

    it('answers of the API are nobody’s to keep or to sniff', async () => {
      const { headers } = await world().admin.get('/v1/user/me');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.has('x-powered-by')).toBe(false);
    });

    it.each([
      '/v1/user/me',
      '/v1/search',
      '/v1/nothing',
      '/mcp',
      '/healthz',
      '/metrics',
      '/openapi.json',
      '/docs',
      '/',
    ])('runs, frames and leaks nothing wherever one looks: %s', async (path) => {
      for (const client of [world().admin, world().anonymous]) {
        const { headers } = await client.send('GET', path, { headers: { origin: 'https://elsewhere.example' } });
        expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
        expect(headers.get('x-content-type-options')).toBe('nosniff');
        expect(headers.get('x-frame-options')).toBe('DENY');
        expect(headers.get('referrer-policy')).toBe('no-referrer');
        expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
        expect(headers.has('access-control-allow-origin')).toBe(false);
      }
    });

    it.each(['/v1/nothing', '/v1', '/', '/v1/search/extra', '/V2/search', '/.env', '/console/../etc/passwd'])(
      'knows no %s',
      async (path) => {
        expectError(await world().admin.get(path), {
          status: 404,
          type: 'REQUEST.UNKNOWN_ROUTE',
          message: 'There is no such endpoint.',
        });
      },
    );

    it.each([
      ['PUT', '/v1/search'],
      ['GET', '/v1/context'],
      ['DELETE', '/v1/audit-events'],
      ['PATCH', '/v1/source-items/5d0b7c1e-7a52-4a85-9b6e-0f6c6c1d2e3f'],
    ])('knows no %s %s', async (method, path) => {
      expectError(await world().admin.send(method, path), { status: 404, type: 'REQUEST.UNKNOWN_ROUTE' });
    });
  });
}
