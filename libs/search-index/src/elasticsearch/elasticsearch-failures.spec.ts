import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import { buildChunk, openFilter, putVersion, unitVector } from '../conformance/chunk-builder.js';
import type { CandidateQuery } from '../search-index.port.js';
import { ElasticsearchReader } from './elasticsearch-reader.js';
import { ElasticsearchWriter } from './elasticsearch-writer.js';
import { DEFAULT_BULK_LIMITS, deleteLine, indexLine, splitBulk } from './send-bulk.js';

// The writer's client tries a lost connection again, with pauses.
jest.setTimeout(60_000);

const UNAVAILABLE = { code: 'DEPENDENCY.INDEX_UNAVAILABLE', retryAfterSeconds: 5 };
const tenantId = randomUUID();
const address = { tenantId, generation: 'g1' };
const query: CandidateQuery = { filter: openFilter(tenantId), vector: unitVector(1), text: 'words', k: 5 };

type Answer = (method: string, path: string, body: string) => { status?: number; body: unknown } | 'hang';

/** Answers as the server would in moments a healthy one can't be brought into. */
class FaultyServer {
  readonly requests: string[] = [];
  private server: Server | null = null;

  constructor(private readonly answer: Answer) {}

  async start(): Promise<string> {
    this.server = createServer((request, response) => {
      void readBody(request).then((text) => {
        const path = new URL(request.url ?? '/', 'http://x').pathname;
        this.requests.push(`${request.method} ${path}`);
        const answer = this.answer(request.method ?? '', path, text);
        if (answer === 'hang') return;
        response.writeHead(answer.status ?? 200, {
          'content-type': 'application/vnd.elasticsearch+json;compatible-with=9',
          'x-elastic-product': 'Elasticsearch',
        });
        response.end(JSON.stringify(answer.body));
      });
    });
    await new Promise<void>((resolve) => this.server?.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((resolve) => this.server?.close(resolve));
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

const fullPart = {
  took: 1,
  timed_out: false,
  _shards: { total: 1, successful: 1, failed: 0 },
  hits: { hits: [] },
  status: 200,
};

describe('reader', () => {
  const readers: ElasticsearchReader[] = [];
  const servers: FaultyServer[] = [];
  afterEach(async () => {
    for (const reader of readers.splice(0)) await reader.close();
    for (const server of servers.splice(0)) await server.stop();
  });

  async function readerOn(answer: Answer, searchTimeoutMs = 5_000): Promise<[ElasticsearchReader, FaultyServer]> {
    const server = new FaultyServer(answer);
    servers.push(server);
    const reader = new ElasticsearchReader({ url: await server.start(), searchTimeoutMs });
    readers.push(reader);
    return [reader, server];
  }

  it('is unavailable when nothing listens, at once', async () => {
    const reader = new ElasticsearchReader({ url: 'http://127.0.0.1:1' });
    readers.push(reader);
    await expect(reader.findCandidates(address, query)).rejects.toMatchObject(UNAVAILABLE);
    await expect(reader.ping()).rejects.toMatchObject(UNAVAILABLE);
  });

  it.each([
    ['a failed shard', { ...fullPart, _shards: { total: 2, successful: 1, failed: 1 } }],
    ['a timeout on the server', { ...fullPart, timed_out: true }],
    ['an overloaded part', { status: 429, error: { type: 'es_rejected_execution_exception', reason: 'full' } }],
    ['a part without shards', { status: 503, error: { type: 'no_shard_available_action_exception', reason: null } }],
  ])('never gives a partial page: %s', async (_name, part) => {
    for (const responses of [
      [part, fullPart],
      [fullPart, part],
    ]) {
      const [reader] = await readerOn(() => ({ body: { took: 1, responses } }));
      await expect(reader.findCandidates(address, query)).rejects.toMatchObject(UNAVAILABLE);
    }
  });

  it('asks once, whatever the server says', async () => {
    const [reader, server] = await readerOn(() => ({ status: 503, body: { error: { type: 'x' }, status: 503 } }));
    await expect(reader.findCandidates(address, query)).rejects.toMatchObject(UNAVAILABLE);
    expect(server.requests).toEqual(['POST /_msearch']);
  });

  it('gives up on a silent server, and at once when the caller leaves', async () => {
    const [reader] = await readerOn(() => 'hang', 100);
    await expect(reader.findCandidates(address, query)).rejects.toMatchObject(UNAVAILABLE);
    const [patient] = await readerOn(() => 'hang', 60_000);
    const controller = new AbortController();
    const search = patient.findCandidates(address, { ...query, signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    await expect(search).rejects.toMatchObject({ code: 'REQUEST.CANCELLED' });
  });

  it('reports a refused query as not worth repeating', async () => {
    const part = { status: 400, error: { type: 'parsing_exception', reason: 'no' } };
    const [reader] = await readerOn(() => ({ body: { took: 1, responses: [part, part] } }));
    await expect(reader.findCandidates(address, query)).rejects.toMatchObject({
      code: 'INTERNAL.UNEXPECTED',
      retryable: false,
    });
  });

  const reason = "Field [vector] of type [dense_vector] doesn't support format [binary].";
  it.each([
    ['a server', { status: 400, error: { type: 'search_phase_execution_exception', reason } }],
    [
      'one of the nodes',
      {
        ...fullPart,
        _shards: { total: 2, successful: 1, failed: 1, failures: [{ shard: 0, index: 'i', reason: { reason } }] },
      },
    ],
  ])('falls back to arrays when %s lacks binary doc values', async (_name, refused) => {
    const [reader, server] = await readerOn((_method, _path, body) => {
      const part = body.includes('"binary"') ? refused : fullPart;
      return { body: { took: 1, responses: [part, part] } };
    });
    expect(await reader.findCandidates(address, query)).toEqual({ candidates: [], exact: false });
    await reader.findCandidates(address, query);
    expect(server.requests).toHaveLength(3);
    const [other] = await readerOn((_method, _path, body) => {
      const part = body.includes('"binary"') ? refused : fullPart;
      return { body: { took: 1, responses: [part, part] } };
    });
    const both = await Promise.all([other.findCandidates(address, query), other.findCandidates(address, query)]);
    expect(both).toHaveLength(2);
  });
});

describe('writer', () => {
  const mapping = {
    [`candor-${tenantId}-g1`]: { mappings: { properties: { vector: { type: 'dense_vector', dims: 8 } } } },
  };
  const healthy: Answer = (_method, path) => {
    if (path.startsWith('/_nodes/')) return { body: { nodes: { one: { version: '9.5.3' } } } };
    if (path.endsWith('/_mapping')) return { body: mapping };
    if (path.endsWith('/_refresh')) return { body: { _shards: { total: 2, successful: 2, failed: 0 } } };
    if (path.endsWith('/_msearch')) return { body: { took: 1, responses: [fullPart, fullPart] } };
    return { status: 500, body: { error: { type: 'unexpected' } } };
  };
  const okItem = { index: { _index: 'i', _id: 'x', status: 201 } };
  const itemWith = (status: number, type: string): object => ({
    index: { _index: 'i', _id: 'x', status, error: { type, reason: type } },
  });

  async function applyOn(
    bulk: (attempt: number, lines: string[]) => { status?: number; body: unknown },
    chunks = 2,
  ): Promise<FaultyServer> {
    let attempt = 0;
    const server = new FaultyServer((method, path, body) =>
      path.endsWith('/_bulk') ? bulk((attempt += 1), body.trim().split('\n')) : healthy(method, path, body),
    );
    const writer = new ElasticsearchWriter(
      { url: await server.start() },
      { ...DEFAULT_BULK_LIMITS, maxAttempts: 3, backoffMs: 1 },
    );
    try {
      const version = Array.from({ length: chunks }, () => buildChunk(tenantId, { itemId: 'item' }));
      await writer.apply(address, [putVersion(...version)]);
    } finally {
      await writer.close();
      await server.stop();
    }
    return server;
  }

  it('repeats only what the server had no room for', async () => {
    const sizes: number[] = [];
    const server = await applyOn((attempt, lines) => {
      sizes.push(lines.length / 2);
      const items = attempt === 1 ? [okItem, itemWith(429, 'es_rejected_execution_exception'), okItem] : [okItem];
      return { body: { took: 1, errors: attempt === 1, items } };
    }, 3);
    expect(sizes).toEqual([3, 1]);
    expect(server.requests.filter((request) => request.endsWith('/_refresh'))).toHaveLength(2);
  });

  it('backs off when the whole request is refused, and gives up in the end', async () => {
    let attempts = 0;
    const refused = { status: 429, body: { error: { type: 'es_rejected_execution_exception' }, status: 429 } };
    const applied = applyOn((attempt) => {
      attempts = attempt;
      return refused;
    });
    await expect(applied).rejects.toMatchObject(UNAVAILABLE);
    expect(attempts).toBe(3);
  });

  it('throws when one item failed among many', async () => {
    const items = [okItem, itemWith(400, 'document_parsing_exception')];
    await expect(applyOn(() => ({ body: { took: 1, errors: true, items } }))).rejects.toMatchObject({
      code: 'INTERNAL.UNEXPECTED',
      retryable: false,
    });
  });

  it('plans nothing on half the state', async () => {
    const half = { ...fullPart, _shards: { total: 2, successful: 1, failed: 1 } };
    const server = new FaultyServer((method, path, body) =>
      path.endsWith('/_msearch') ? { body: { took: 1, responses: [half, fullPart] } } : healthy(method, path, body),
    );
    const writer = new ElasticsearchWriter({ url: await server.start() });
    const applied = writer.apply(address, [{ kind: 'delete-item', itemId: 'item' }]);
    await expect(applied).rejects.toMatchObject(UNAVAILABLE);
    expect(server.requests.some((request) => request.endsWith('/_bulk'))).toBe(false);
    await writer.close();
    await server.stop();
  });

  it('is unavailable when nothing listens', async () => {
    const writer = new ElasticsearchWriter({ url: 'http://127.0.0.1:1' });
    await expect(writer.ping()).rejects.toMatchObject(UNAVAILABLE);
    await expect(writer.countItem(address, 'item')).rejects.toMatchObject(UNAVAILABLE);
    await expect(writer.apply(address, [{ kind: 'delete-item', itemId: 'item' }])).rejects.toMatchObject(UNAVAILABLE);
    await writer.close();
  });
});

describe('splitBulk', () => {
  const limits = { ...DEFAULT_BULK_LIMITS, maxOperations: 3, maxBytes: 200 };
  it('bounds by count, and by bytes and not characters', () => {
    const deletes = Array.from({ length: 7 }, (_, index) => deleteLine('i', `${index}`));
    expect(splitBulk(deletes, limits).map((batch) => batch.length)).toEqual([3, 3, 1]);
    const wide = Array.from({ length: 3 }, (_, index) => indexLine('i', `${index}`, { text: '漢'.repeat(20) }));
    expect(splitBulk(wide, limits).map((batch) => batch.length)).toEqual([1, 1, 1]);
  });
  it('sends a line larger than the bound alone', () => {
    const large = indexLine('i', 'x', { text: 'x'.repeat(500) });
    expect(splitBulk([large, deleteLine('i', 'y')], limits)).toHaveLength(2);
  });
});
