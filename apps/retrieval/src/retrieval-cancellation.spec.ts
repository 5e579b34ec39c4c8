import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Module } from '@nestjs/common';
import { freePort } from '@candor/services';
import { requestIdSchema, type RetrievalRequest } from '@candor/contracts';
import { EmbedderRegistry } from '@candor/embeddings';
import {
  CallerTokenSigner,
  createHttpApp,
  createLogger,
  GrpcRetrievalClient,
  listenUntilSignal,
  retrievalGrpcOptions,
  type RunningApp,
} from '@candor/runtime';
import { createElasticsearchReader, type SearchIndexReader } from '@candor/search-index/read';
import { RetrievalModule } from './retrieval.module.js';
import { aScope } from './testing/builders.js';
import { InMemoryReasoning } from './testing/in-memory-reasoning.js';
import { FixedEmbedder, InMemoryWorld } from './testing/in-memory-world.js';

const signer = new CallerTokenSigner('a key of at least thirty-two characters');
const requestId = requestIdSchema.parse('44444444-4444-4444-8444-444444444444');
const request = { query: 'brand' } as RetrievalRequest<'search'>;
const soon = (milliseconds = 20_000): Date => new Date(Date.now() + milliseconds);
const whole = {
  took: 1,
  timed_out: false,
  _shards: { total: 1, successful: 1, failed: 0 },
  hits: { hits: [] },
  status: 200,
};

type Script = (body: string, response: ServerResponse) => void;

/** Plays Elasticsearch: every part of a search gets the same answer. */
const answerWith =
  (part: object): Script =>
  (body, response) => {
    const parts = body.trim().split('\n').length / 2;
    response.writeHead(200, {
      'content-type': 'application/vnd.elasticsearch+json;compatible-with=9',
      'x-elastic-product': 'Elasticsearch',
    });
    response.end(JSON.stringify({ took: 1, responses: Array.from({ length: parts }, () => part) }));
  };

@Module({})
class TestApp {}

/** From the gateway's client over gRPC and the service to the index's socket. */
describe('a search in another process', () => {
  let port: number;
  let server: Server | null = null;
  let reader: SearchIndexReader;
  let running: RunningApp;
  let client: GrpcRetrievalClient;
  let script: Script;
  /** Of the requests that reached the index. */
  let arrived: Promise<void>[];
  let hungUp: Promise<void>[];

  async function startIndex(): Promise<void> {
    server = createServer((incoming, response) => void serve(incoming, response));
    await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve));
  }
  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    hungUp.push(new Promise((resolve) => response.once('close', () => response.writableEnded || resolve())));
    arrived.push(Promise.resolve());
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    script(Buffer.concat(parts).toString('utf8'), response);
  }
  async function stopIndex(): Promise<void> {
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve));
    server = null;
  }

  beforeAll(async () => {
    port = await freePort();
    reader = createElasticsearchReader({ url: `http://127.0.0.1:${port}`, circuitResetMs: 50 });
    const logger = createLogger('retrieval', { level: 'silent' });
    const retrieval = RetrievalModule.forRoot({
      reader,
      views: new InMemoryWorld(),
      reasoning: new InMemoryReasoning(),
      embedders: EmbedderRegistry.around(new FixedEmbedder()),
      signer,
      logger,
      serveGrpc: true,
    });
    const url = `127.0.0.1:${await freePort()}`;
    const app = await createHttpApp(
      { module: TestApp, imports: [retrieval] },
      { service: 'retrieval', logger, bodyLimits: () => 1_024, microservices: [retrievalGrpcOptions({ url })] },
    );
    running = await listenUntilSignal(app, { port: 0, handleSignals: false, drainMs: 0 });
    client = new GrpcRetrievalClient({ url });
  });
  afterAll(async () => {
    client.close();
    await running.stop();
    await reader.close();
  });
  beforeEach(async () => {
    arrived = [];
    hungUp = [];
    script = answerWith(whole);
    await startIndex();
  });
  afterEach(() => (server ? stopIndex() : undefined));

  const search = (options: { deadline?: Date; signal?: AbortSignal } = {}) =>
    client.call('search', { requestId, callerToken: signer.sign(aScope()) }, request, { deadline: soon(), ...options });
  const untilHungUp = async (): Promise<void> => {
    while (arrived.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await Promise.all(hungUp);
  };

  it('hangs up at the index when its caller goes away', async () => {
    const controller = new AbortController();
    script = () => controller.abort();
    await expect(search({ signal: controller.signal })).rejects.toMatchObject({ code: 'REQUEST.CANCELLED' });
    await untilHungUp();
  });

  it('hangs up at the index at its deadline', async () => {
    script = () => undefined;
    await expect(search({ deadline: soon(300) })).rejects.toMatchObject({ code: 'DEADLINE.EXCEEDED' });
    await untilHungUp();
  });

  it('is 503 while the index is down, says when to come back, and recovers by itself', async () => {
    await stopIndex();
    for (let count = 0; count < 8; count += 1) {
      await expect(search()).rejects.toMatchObject({
        code: 'DEPENDENCY.INDEX_UNAVAILABLE',
        status: 503,
        retryAfterSeconds: expect.any(Number),
      });
    }
    await startIndex();
    for (;;) {
      const outcome = await search().catch((error: unknown) => error);
      if (!(outcome instanceof Error)) break;
      expect(outcome).toMatchObject({ code: 'DEPENDENCY.INDEX_UNAVAILABLE' });
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect((await search()).result.hits).toEqual([]);
  });

  it.each([
    ['a shard failed', { ...whole, _shards: { total: 2, successful: 1, failed: 1 } }],
    ['a shard did not answer', { ...whole, _shards: { total: 2, successful: 1, failed: 0 } }],
    ['the server ran out of time', { ...whole, timed_out: true }],
    ['the index is lost', { error: { type: 'index_not_found_exception', reason: 'no such index' }, status: 404 }],
  ])('is never a page when %s', async (_name, part) => {
    script = answerWith(part);
    await expect(search()).rejects.toMatchObject({ code: 'DEPENDENCY.INDEX_UNAVAILABLE', status: 503 });
  });
});
