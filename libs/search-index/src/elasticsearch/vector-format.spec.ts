import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@elastic/elasticsearch';
import { findVectorFormat } from './vector-format.js';

/** Answers as a cluster would that can't be had in a test: one of nodes of several versions. */
async function askCluster(status: number, body: unknown): Promise<string> {
  const server = createServer((request, response) => {
    const isNodes = request.url?.startsWith('/_nodes/') ?? false;
    response.writeHead(isNodes ? status : 200, {
      'content-type': 'application/vnd.elasticsearch+json;compatible-with=9',
      'x-elastic-product': 'Elasticsearch',
    });
    // The node that answers is the newest one.
    response.end(JSON.stringify(isNodes ? body : { version: { number: '9.5.3' } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new Client({ node: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, maxRetries: 0 });
  try {
    return await findVectorFormat(client);
  } finally {
    await client.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const nodesOf = (...versions: string[]) => ({
  nodes: Object.fromEntries(versions.map((version, index) => [`node-${index}`, { version }])),
});

describe('findVectorFormat', () => {
  it.each([
    ['array', ['8.19.3']],
    ['array', ['9.2.9']],
    ['binary', ['9.3.0']],
    ['binary', ['9.10.1', '9.3.2']],
    ['binary', ['10.0.0-SNAPSHOT']],
    ['array', ['9.5.3', '9.2.4', '9.5.3']],
    ['array', ['unknown']],
    ['array', []],
  ])('is %s for nodes of %j', async (format, versions) => {
    expect(await askCluster(200, nodesOf(...versions))).toBe(format);
  });

  it.each([400, 403, 410])(
    'is what every version takes when the server keeps its nodes to itself (%s)',
    async (status) => {
      expect(await askCluster(status, { error: { type: 'security_exception' }, status })).toBe('array');
    },
  );

  it('decides nothing while the server is away', async () => {
    await expect(askCluster(503, { error: { type: 'x' }, status: 503 })).rejects.toMatchObject({ statusCode: 503 });
  });

  const url = process.env['ELASTICSEARCH_URL'];
  (url ? it : it.skip)('is answered by a real server', async () => {
    const client = new Client({ node: url ?? '' });
    const { version } = await client.info();
    const [major = 0, minor = 0] = version.number.split('.').map(Number);
    expect(await findVectorFormat(client)).toBe(major > 9 || (major === 9 && minor >= 3) ? 'binary' : 'array');
    await client.close();
  });
});
