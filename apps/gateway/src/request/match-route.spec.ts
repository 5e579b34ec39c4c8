import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Module } from '@nestjs/common';
import { DEFAULT_BODY_LIMIT_BYTES, getDocumentRoute, ROUTES } from '@candor/contracts';
import { Contract, createHttpApp, createLogger, listenUntilSignal, type RunningApp } from '@candor/runtime';
import { isSignedRequest } from '../access/signed-requests.middleware.js';
import { isUpload } from '../uploads/upload.interceptor.js';
import { bodyLimit } from './body-limit.js';
import { matchRoute } from './match-route.js';

const EXAMPLE_ID = '0f3d5f36-2d1e-4a2f-9a77-1f6f7b2f0a55';
const variantsOf = (path: string): string[] => {
  const sent = path.replace(/:\w+/g, EXAMPLE_ID);
  return [sent, `${sent}/`, sent.toUpperCase()];
};

describe('what is said of a route', () => {
  const limited = ROUTES.filter((route) => route.bodyLimitBytes !== undefined);

  it.each(limited.map((route) => [route.method, route.path, route.bodyLimitBytes] as const))(
    'is the limit of bodies: %s %s',
    (method, path, limit) => {
      for (const sent of variantsOf(path)) expect([sent, bodyLimit(method, sent)]).toEqual([sent, limit]);
    },
  );

  it('is the limit of documents that are changed', () => {
    expect(limited.map(({ method, path }) => `${method} ${path}`)).toContain('PATCH /v1/documents/:id');
  });

  it.each([
    ['GET', `/v1/documents/${EXAMPLE_ID}`],
    ['PATCH', '/v1/documents'],
    ['PATCH', `/v1/documents/${EXAMPLE_ID}/restore`],
    ['PATCH', '/v1/documents//'],
    ['POST', '/v1/documents//'],
    ['POST', '/v2/documents'],
    ['POST', '/v1/documents.json'],
  ] as const)('is not said of another: %s %s', (method, path) => {
    expect(bodyLimit(method, path)).toBe(DEFAULT_BODY_LIMIT_BYTES);
  });

  it('is that it takes uploads, or signed requests', () => {
    for (const sent of variantsOf('/v1/documents')) {
      expect([sent, isUpload('POST', sent, 'multipart/form-data')]).toEqual([sent, true]);
      expect([sent, isUpload('POST', sent, 'application/json')]).toEqual([sent, false]);
    }
    for (const sent of variantsOf('/v1/sources/:id/slack-events'))
      expect([sent, isSignedRequest('POST', sent), isSignedRequest('GET', sent)]).toEqual([sent, true, false]);
  });

  describe('is found as the router finds the route', () => {
    @Controller()
    class OneController {
      @Contract(getDocumentRoute)
      read(): object {
        return {};
      }
    }
    @Module({ controllers: [OneController] })
    class OneModule {}

    let running: RunningApp;
    beforeAll(async () => {
      const logger = createLogger('routes', { level: 'silent' });
      const app = await createHttpApp(OneModule, { service: 'routes', logger, bodyLimits: () => 1 });
      running = await listenUntilSignal(app, { port: 0, handleSignals: false, drainMs: 0 });
    });
    afterAll(() => running.stop());

    const isRead = matchRoute((route) => (route === getDocumentRoute ? true : undefined));
    it.each([
      ...variantsOf('/v1/documents/:id'),
      '/v1/documents/%2F',
      '/v1/documents/',
      '/v1/documents/a/b',
      '/v1/documents/a//',
    ])('%s', async (path) => {
      const isRouted = (await fetch(`${running.url}${path}`)).status !== 404;
      expect(isRead('GET', path) ?? false).toBe(isRouted);
    });
  });
});
