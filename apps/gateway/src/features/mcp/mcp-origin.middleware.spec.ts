import { afterAll, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type NextFunction, type Request, type Response as Answer } from 'express';
import { AppError } from '@candor/contracts';
import { mcpOriginMiddleware } from './mcp-origin.middleware.js';

const PAGE = 'https://inspector.example';
const OWN = 'https://candor.example';
const METADATA = '/.well-known/oauth-protected-resource';

describe('mcpOriginMiddleware', () => {
  const servers: Server[] = [];
  afterAll(() => servers.forEach((server) => void server.close()));

  /** Behind it, everything is refused for want of a key, as it is in the gateway. */
  async function start(): Promise<(method: string, origin?: string, path?: string) => Promise<Response>> {
    const app = express();
    const address = { publicUrl: `${OWN}/candor`, origins: [PAGE] };
    app.use(mcpOriginMiddleware(address, (_request, response) => void response.status(401).end()));
    app.use((error: unknown, _request: Request, response: Answer, next: NextFunction) =>
      error instanceof AppError ? void response.status(error.status).end() : next(error),
    );
    const server = createServer(app);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return (method, origin, path = '/mcp') => {
      const headers = new Headers();
      if (method === 'OPTIONS') headers.set('access-control-request-method', 'POST');
      if (origin !== undefined) headers.set('origin', origin);
      return fetch(`${url}${path}`, { method, headers });
    };
  }
  const listOf = ({ headers }: Response, name: string): string[] => headers.get(name)?.split(',').sort() ?? [];
  const sharedWith = ({ headers }: Response): string | null => headers.get('access-control-allow-origin');

  it.each([PAGE, OWN, 'http://localhost:6274', 'http://127.0.0.1:8080', 'http://[::1]:3000'])(
    'answers the question of a page of %s without a key, and lets it read the answer',
    async (origin) => {
      const send = await start();
      for (const path of ['/mcp', METADATA, `${METADATA}/mcp`]) {
        const preflight = await send('OPTIONS', origin, path);
        expect([preflight.status, sharedWith(preflight)]).toEqual([204, origin]);
        const answer = await send('POST', origin, path);
        expect([answer.status, sharedWith(answer), answer.headers.get('vary')]).toEqual([401, origin, 'Origin']);
      }
    },
  );

  it('lets pages send and read what the protocol needs, and the browser no credentials', async () => {
    const send = await start();
    const preflight = await send('OPTIONS', PAGE);
    expect(listOf(preflight, 'access-control-allow-methods')).toEqual(['DELETE', 'GET', 'POST']);
    expect(listOf(preflight, 'access-control-allow-headers')).toEqual([
      ...['Accept', 'Authorization', 'Content-Type', 'Last-Event-ID'],
      ...['Mcp-Protocol-Version', 'Mcp-Session-Id', 'X-Request-Id'],
    ]);
    const answer = await send('POST', PAGE);
    expect(listOf(answer, 'access-control-expose-headers')).toEqual([
      ...['Mcp-Session-Id', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id'],
    ]);
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  });

  it.each(['https://evil.example', 'null', 'http://localhost.evil.example', 'http://inspector.example'])(
    'refuses a page of %s, and shares nothing with it',
    async (origin) => {
      const send = await start();
      for (const method of ['OPTIONS', 'POST']) {
        const refusal = await send(method, origin);
        expect([refusal.status, sharedWith(refusal)]).toEqual([403, null]);
        expect(sharedWith(await send(method, origin, METADATA))).toBeNull();
      }
    },
  );

  it('lets programs through, which send no origin, and is about MCP alone', async () => {
    const send = await start();
    const answer = await send('POST');
    expect([answer.status, sharedWith(answer)]).toEqual([401, null]);
    for (const path of ['/v1/search', '/mcp-other', `${METADATA}/other`]) {
      const elsewhere = await send('OPTIONS', PAGE, path);
      expect([elsewhere.status, sharedWith(elsewhere)]).toEqual([401, null]);
    }
  });
});
