import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@elastic/elasticsearch';
import { processMetrics } from '@candor/runtime/metrics';
import { measureRequests, operationOf } from './measure-requests.js';

describe('requests to the index', () => {
  it.each([
    ['/chunks-t-1/_search', 'search'],
    ['/_bulk', 'bulk'],
    ['/chunks-t-1/_doc/a%2Fb', 'doc'],
    ['/_cluster/health/x', 'cluster'],
    ['/chunks-t-1', 'index'],
    ['/', 'index'],
  ])('are named by the API, never by an index: %s', (path, operation) => {
    expect(operationOf(path)).toBe(operation);
  });

  it('are observed with their outcome', async () => {
    const server = createServer((request, response) => {
      response.writeHead(request.url === '/bad/_search' ? 503 : 200, {
        'content-type': 'application/json',
        'x-elastic-product': 'Elasticsearch',
      });
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const node = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = measureRequests(new Client({ node, maxRetries: 0 }));
    await client.search({ index: 'good' });
    await client.search({ index: 'bad' }).catch(() => undefined);
    await new Promise((resolve) => server.close(resolve));
    await client.search({ index: 'good' }).catch(() => undefined);
    await client.close();
    const lines = (await processMetrics().metrics()).split('\n');
    const counts = lines.filter((line) => line.startsWith('candor_index_request_duration_seconds_count'));
    expect(counts).toEqual([
      'candor_index_request_duration_seconds_count{operation="search",outcome="ok"} 1',
      'candor_index_request_duration_seconds_count{operation="search",outcome="ResponseError"} 1',
      'candor_index_request_duration_seconds_count{operation="search",outcome="ConnectionError"} 1',
    ]);
  });
});
