import { Module } from '@nestjs/common';
import { freePort } from '@candor/services';
import { requestIdSchema, RETRIEVAL_METHODS, type RetrievalMethod, type RetrievalRequest } from '@candor/contracts';
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
import { RetrievalModule } from './retrieval.module.js';
import { aScope, idOf } from './testing/builders.js';
import { InMemoryReasoning } from './testing/in-memory-reasoning.js';
import { FixedEmbedder, InMemoryWorld } from './testing/in-memory-world.js';

const signer = new CallerTokenSigner('a key of at least thirty-two characters');
const requestId = requestIdSchema.parse('44444444-4444-4444-8444-444444444444');
const soon = (milliseconds = 10_000): Date => new Date(Date.now() + milliseconds);

@Module({})
class TestApp {}

/** Over a real gRPC connection on loopback, with the client that the gateway uses. */
describe('gRPC', () => {
  const world = new InMemoryWorld();
  let running: RunningApp;
  let client: GrpcRetrievalClient;

  beforeAll(async () => {
    world.addItem({ itemId: idOf(1) }, { cosine: 0.9, chunkId: idOf(21) });
    const logger = createLogger('retrieval', { level: 'silent' });
    const retrieval = RetrievalModule.forRoot({
      reader: world,
      views: world,
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
  });

  beforeEach(() => {
    world.beforeRecheck = () => undefined;
  });

  const call = { requestId, callerToken: signer.sign(aScope()) };
  const searchRequest = { query: 'brand' } as RetrievalRequest<'search'>;

  it('serves every method', async () => {
    const search = await client.call('search', call, searchRequest, { deadline: soon() });
    expect(search.result.hits).toHaveLength(1);
    const contextRequest = { query: 'brand', contractVersion: '1.1' } as RetrievalRequest<'context'>;
    const context = await client.call('context', call, contextRequest, { deadline: soon() });
    expect(context.result.contract).toMatchObject({ version: '1.1', requestId });
    const passagesRequest = { query: 'brand' } as RetrievalRequest<'findPassages'>;
    const passages = await client.call('findPassages', call, passagesRequest, { deadline: soon() });
    expect(passages.result.passages.map(({ chunkId }) => chunkId)).toEqual([idOf(21)]);
    const reading = client.call('readChunk', call, { chunkId: idOf(99) }, { deadline: soon() });
    await expect(reading).rejects.toMatchObject({ code: 'RESOURCE.NOT_FOUND' });
    const around = RETRIEVAL_METHODS.expandChunk.request.parse({ chunkId: idOf(99), direction: 'up' });
    const expanding = client.call('expandChunk', call, around, { deadline: soon() });
    await expect(expanding).rejects.toMatchObject({ code: 'RESOURCE.NOT_FOUND' });
  });

  it.each(Object.keys(RETRIEVAL_METHODS) as RetrievalMethod[])('knows %s', async (method) => {
    const attempt = client.call(method, call, { nonsense: true } as never, { deadline: soon() });
    await expect(attempt).rejects.toMatchObject({ code: 'REQUEST.INVALID' });
  });

  it('says whether content may go to an external model', async () => {
    const consent = await client.call('modelConsent', call, {}, { deadline: soon() });
    expect(consent.result).toEqual({ isGiven: false });
  });

  it('refuses a token of another installation', async () => {
    const callerToken = new CallerTokenSigner('another key of at least thirty-two characters').sign(aScope());
    const attempt = client.call('search', { requestId, callerToken }, searchRequest, { deadline: soon() });
    await expect(attempt).rejects.toMatchObject({ code: 'AUTH.INVALID_SCOPE' });
  });

  it('ends at the caller’s deadline, and the index hears of it', async () => {
    world.queries.length = 0;
    world.beforeRecheck = () => new Promise(() => undefined);
    const attempt = client.call('search', call, searchRequest, { deadline: soon(150) });
    await expect(attempt).rejects.toMatchObject({ code: 'DEADLINE.EXCEEDED' });
    await waitUntil(() => world.queries.at(-1)?.query.signal?.aborted === true);
  });

  it('stops when the caller goes away', async () => {
    world.queries.length = 0;
    const controller = new AbortController();
    world.beforeRecheck = () => {
      controller.abort();
      return new Promise(() => undefined);
    };
    const attempt = client.call('search', call, searchRequest, { deadline: soon(), signal: controller.signal });
    await expect(attempt).rejects.toMatchObject({ code: 'REQUEST.CANCELLED' });
    await waitUntil(() => world.queries.at(-1)?.query.signal?.aborted === true);
  });
});

async function waitUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}
