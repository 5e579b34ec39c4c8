import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sourceItemRoute, listCollectionsRoute } from '@candor/contracts';
import { ApiClient } from './api-client.js';

let server: Server;
let client: ApiClient;
let seen: { method?: string | undefined; url?: string | undefined; headers: IncomingHttpHeaders };
let answer: { status: number; body: string };

beforeAll(async () => {
  server = createServer((request, response) => {
    seen = { method: request.method, url: request.url, headers: request.headers };
    response.writeHead(answer.status, { 'content-type': 'application/json', 'x-request-id': 'r-1' }).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  client = new ApiClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'gm_test');
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const EMPTY_PAGE = JSON.stringify({ data: [], pagination: { cursor: null, hasMore: false } });

describe('ApiClient', () => {
  it('sends key, query and path, and gives status, headers and body', async () => {
    answer = { status: 200, body: EMPTY_PAGE };
    const response = await client.exchange(listCollectionsRoute, { query: { limit: 5, search: 'a b' } });
    expect(seen).toMatchObject({ method: 'GET', url: '/v1/collections?limit=5&search=a+b' });
    expect(seen.headers.authorization).toBe('API-Key gm_test');
    expect(response).toMatchObject({ status: 200, requestId: 'r-1', body: { data: [] } });
  });

  it('sends no key when it has none', async () => {
    answer = { status: 200, body: EMPTY_PAGE };
    await client.withKey(null).get('/v1/collections');
    expect(seen.headers).not.toHaveProperty('authorization');
  });

  it('fails on another status, and on a field more than the contract has', async () => {
    answer = { status: 404, body: '{"error":{}}' };
    await expect(client.call(sourceItemRoute, { params: { id: 'x' } })).rejects.toThrow('answered 404');
    answer = { status: 200, body: JSON.stringify({ ...(JSON.parse(EMPTY_PAGE) as object), more: 1 }) };
    await expect(client.call(listCollectionsRoute)).rejects.toThrow('broke its contract');
  });
});
