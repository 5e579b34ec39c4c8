import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { z } from 'zod';
import { corsEnvironment, corsMiddleware } from './cors.middleware.js';

const ALLOWED = 'https://app.example.org';
const SENT = ['access-control-allow-origin', 'access-control-allow-methods', 'access-control-allow-credentials'];

describe('corsMiddleware', () => {
  const servers: Server[] = [];
  afterAll(() => servers.forEach((server) => void server.close()));

  /** Behind it, everything is refused for want of a key, as it is in the gateway. */
  async function start(
    origins: string[],
  ): Promise<(method: string, origin?: string, path?: string) => Promise<Response>> {
    const app = express();
    app.use(corsMiddleware(origins, (_request, response) => void response.status(401).end()));
    const server = createServer(app);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return (method, origin, path = '/v1/search') => {
      const headers = new Headers();
      if (method === 'OPTIONS') headers.set('access-control-request-method', 'POST');
      if (origin !== undefined) headers.set('origin', origin);
      return fetch(`${url}${path}`, { method, headers });
    };
  }
  const sharedBy = ({ headers }: Response): (string | null)[] => SENT.map((name) => headers.get(name));

  it('shares with nobody by default', async () => {
    const send = await start([]);
    for (const method of ['OPTIONS', 'POST']) {
      const response = await send(method, ALLOWED);
      expect([response.status, ...sharedBy(response)]).toEqual([401, null, null, null]);
    }
  });

  it('answers the question of a named origin without a key, and lets its pages read the answer', async () => {
    const send = await start([ALLOWED]);
    const preflight = await send('OPTIONS', ALLOWED);
    expect([preflight.status, ...sharedBy(preflight)]).toEqual([204, ALLOWED, 'GET,POST,PUT,PATCH,DELETE', null]);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization');
    const answer = await send('POST', ALLOWED);
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([401, ALLOWED]);
    expect(answer.headers.get('access-control-expose-headers')).toContain('X-Request-Id');
  });

  it.each([
    undefined,
    'null',
    'https://app.example.org.evil.example',
    'http://app.example.org',
    'https://APP.example.org',
  ])('shares nothing with the origin %s, and says that answers differ', async (origin) => {
    const send = await start([ALLOWED]);
    for (const method of ['OPTIONS', 'POST']) {
      const response = await send(method, origin);
      expect([response.status, ...sharedBy(response)]).toEqual([401, null, null, null]);
      expect(response.headers.get('vary')).toContain('Origin');
    }
  });

  it('is about the API alone', async () => {
    const send = await start([ALLOWED]);
    expect(sharedBy(await send('GET', ALLOWED, '/metrics'))).toEqual([null, null, null]);
    expect(sharedBy(await send('GET', ALLOWED, '/v10/search'))).toEqual([null, null, null]);
  });
});

describe('corsEnvironment', () => {
  const { CANDOR_CORS_ORIGINS: schema } = z.object(corsEnvironment).shape;

  it.each<[string | undefined, string[]]>([
    [undefined, []],
    ['', []],
    ['https://a.example, http://localhost:3000', ['https://a.example', 'http://localhost:3000']],
  ])('reads %j', (text, origins) => expect(schema.parse(text)).toEqual(origins));

  it.each(['*', 'a.example', 'https://a.example/', 'https://a.example/path', 'https://*.example', 'null'])(
    'refuses %s',
    (text) => expect(schema.safeParse(text).success).toBe(false),
  );
});
