import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import { Client } from '@elastic/elasticsearch';
import { ElasticsearchWriter } from './elasticsearch-writer.js';
import { applyGraphSettings, GRAPH_SETTINGS } from './graph-settings.js';
import { indexNames } from './index-names.js';

jest.setTimeout(60_000);

const url = process.env['ELASTICSEARCH_URL'];

(url ? describe : describe.skip)('ensureIndex', () => {
  it('sets how the graph is searched, also of an index that is there already', async () => {
    const node = url ?? '';
    const client = new Client({ node });
    const writer = new ElasticsearchWriter({ url: node });
    const address = { tenantId: randomUUID(), generation: 'g1' };
    const names = indexNames(address);
    const settingsOf = async (index: string): Promise<unknown> => {
      const found = await client.indices.getSettings({ index, flat_settings: true });
      return found[index]?.settings;
    };
    const expected = Object.fromEntries(Object.entries(GRAPH_SETTINGS).map(([name, value]) => [name, String(value)]));
    try {
      await writer.ensureIndex(address, 3);
      expect(await settingsOf(names.live)).toMatchObject(expected);
      const unset = Object.fromEntries(Object.keys(GRAPH_SETTINGS).map((name) => [name, null]));
      await client.indices.putSettings({ index: [names.live, names.history], settings: unset });
      expect(await settingsOf(names.live)).not.toMatchObject(expected);
      await writer.ensureIndex(address, 3);
      for (const index of [names.live, names.history]) expect(await settingsOf(index)).toMatchObject(expected);
    } finally {
      await writer.dropIndex(address);
      await Promise.all([writer.close(), client.close()]);
    }
  });
});

describe('a server that refuses a setting', () => {
  let server: Server;
  let client: Client;
  let reason: string;
  const asked: string[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      request.resume();
      response.writeHead(400, { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' });
      response.end(JSON.stringify({ error: { type: 'illegal_argument_exception', reason }, status: 400 }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    client = new Client({ node: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
  afterAll(async () => {
    await client.close();
    await new Promise((resolve) => server.close(resolve));
  });

  it('because it is older is taken as it is', async () => {
    reason =
      'unknown setting [index.dense_vector.hnsw_filter_heuristic] please check that any required plugins are installed';
    await applyGraphSettings(client, ['a', 'b']);
    expect(asked).toHaveLength(Object.keys(GRAPH_SETTINGS).length);
  });

  it('for another reason is an error', async () => {
    reason = 'index is read-only';
    await expect(applyGraphSettings(client, ['a'])).rejects.toThrow('read-only');
  });
});
