import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { Controller, Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { GrpcMethod, type MicroserviceOptions } from '@nestjs/microservices';
import {
  AppError,
  callerScopeSchema,
  requestIdSchema,
  RETRIEVAL_METHODS,
  type RetrievalCall,
  type RetrievalReply,
  type SearchBody,
} from '@candor/contracts';
import type { Metadata } from '@grpc/grpc-js';
import { CallerTokenSigner } from '../caller-token/caller-token-signer.js';
import { createLogger } from '../logging/create-logger.js';
import { requireRequestContext } from '../request-context/request-context.js';
import { GrpcRetrievalClient } from './grpc-retrieval.client.js';
import { handleRetrievalCall, type GrpcCall, type RetrievalInput } from './handle-retrieval-call.js';
import { retrievalGrpcOptions } from './retrieval-grpc-options.js';
import {
  RETRIEVAL_SERVICE,
  type GrpcTls,
  type RetrievalWireCall,
  type RetrievalWireReply,
} from './retrieval-protocol.js';

const signer = new CallerTokenSigner('k'.repeat(32));
const scope = callerScopeSchema.parse({
  tenantId: '11111111-1111-4111-8111-111111111111',
  apiKeyId: '22222222-2222-4222-8222-222222222222',
  actorType: 'agent',
  allowedActions: ['search'],
  allowedProviders: ['slack'],
  principals: ['user:a@x.org'],
});
const requestId = requestIdSchema.parse('33333333-3333-4333-8333-333333333333');
const call: RetrievalCall = { requestId, callerToken: signer.sign(scope) };
const request: SearchBody = RETRIEVAL_METHODS.search.request.parse({ query: 'שלום 😀' });

let handler: (input: RetrievalInput<'search'>) => Promise<RetrievalReply<'search'>>;
let lines: string[] = [];
const logger = createLogger('retrieval', { stream: { write: (line) => lines.push(line) } });

@Controller()
class RetrievalController {
  @GrpcMethod(RETRIEVAL_SERVICE, 'Search')
  search(wire: RetrievalWireCall, _: Metadata, grpcCall: GrpcCall): Promise<RetrievalWireReply> {
    return handleRetrievalCall('search', wire, grpcCall, { signer, logger }, (input) => handler(input));
  }
}
@Module({ controllers: [RetrievalController] })
class RetrievalModule {}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function startServer(port: number, tls?: GrpcTls): Promise<INestMicroservice> {
  const options = retrievalGrpcOptions({ url: `127.0.0.1:${port}`, ...(tls ? { tls } : {}) });
  const server = await NestFactory.createMicroservice<MicroserviceOptions>(RetrievalModule, {
    ...options,
    logger: false,
  });
  await server.listen();
  return server;
}

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000);
const emptyReply = (): RetrievalReply<'search'> => ({
  result: { query: request.query, hits: [] },
  facts: { candidates: 3 },
});
/** A handler that runs until its signal fires, and the reason it fired for. */
function untilAborted(): { started: Promise<void>; reason: Promise<unknown> } {
  let tellStarted: () => void;
  let tellReason: (reason: unknown) => void;
  const started = new Promise<void>((resolve) => (tellStarted = resolve));
  const reason = new Promise<unknown>((resolve) => (tellReason = resolve));
  handler = ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        tellReason(signal.reason);
        reject(signal.reason as Error);
      });
      tellStarted();
    });
  return { started, reason };
}

async function failureOf(work: Promise<unknown>): Promise<AppError> {
  const outcome = await work.catch((error: unknown) => error);
  if (outcome instanceof AppError) return outcome;
  throw new Error('No AppError was thrown', { cause: outcome });
}

describe('retrieval over gRPC', () => {
  let server: INestMicroservice;
  let client: GrpcRetrievalClient;

  beforeAll(async () => {
    const port = await freePort();
    server = await startServer(port);
    client = new GrpcRetrievalClient({ url: `127.0.0.1:${port}` });
  });
  afterAll(async () => {
    client.close();
    await server.close();
  });
  beforeEach(() => {
    lines = [];
    handler = async () => emptyReply();
  });

  it('brings request, scope, request id and deadline to the handler and the result back', async () => {
    const deadline = inSeconds(5);
    let seen: unknown;
    handler = async (input) => {
      const { requestId: contextId, caller } = requireRequestContext();
      seen = {
        ...input,
        signal: input.signal.aborted,
        deadline: Math.abs(Number(input.deadline) - Number(deadline)) < 1_000,
        contextId,
        caller,
      };
      return emptyReply();
    };
    expect(await client.call('search', call, request, { deadline })).toEqual(emptyReply());
    expect(seen).toEqual({
      requestId,
      scope,
      request,
      deadline: true,
      signal: false,
      contextId: requestId,
      caller: scope,
    });
  });

  it('carries an AppError whole', async () => {
    handler = () =>
      Promise.reject(
        new AppError('DEPENDENCY.INDEX_UNAVAILABLE', { message: 'Down.', details: { node: 1 }, retryAfterSeconds: 7 }),
      );
    const error = await failureOf(client.call('search', call, request, { deadline: inSeconds(5) }));
    expect(error).toMatchObject({
      code: 'DEPENDENCY.INDEX_UNAVAILABLE',
      status: 503,
      message: 'Down.',
      details: { node: 1 },
      retryAfterSeconds: 7,
    });
  });

  it('keeps the text of any other error on the server', async () => {
    handler = () => Promise.reject(new Error('planted'));
    const error = await failureOf(client.call('search', call, request, { deadline: inSeconds(5) }));
    expect(error).toMatchObject({ code: 'INTERNAL.UNEXPECTED', message: 'Something went wrong on our side.' });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      requestId,
      tenantId: scope.tenantId,
      method: 'search',
      error: { cause: { message: 'planted' } },
    });
  });

  it('refuses a forged scope and a request off the contract before the handler', async () => {
    let ran = false;
    handler = async () => ((ran = true), emptyReply());
    const forged = { ...call, callerToken: new CallerTokenSigner('o'.repeat(32)).sign(scope) };
    expect(await failureOf(client.call('search', forged, request, { deadline: inSeconds(5) }))).toMatchObject({
      code: 'AUTH.INVALID_SCOPE',
    });
    const wire = { requestId, callerToken: call.callerToken, payloadJson: '{"query":"x","foo":1}' };
    const reply = await handleRetrievalCall('search', wire, idleCall(), { signer, logger }, (input) => handler(input));
    expect(JSON.parse(reply.errorJson)).toMatchObject({ code: 'REQUEST.INVALID', details: { field: 'foo' } });
    expect(ran).toBe(false);
  });

  it('refuses a reply off the contract', async () => {
    handler = async () =>
      ({ ...emptyReply(), result: { query: 'x', hits: [{ score: 2 }] } }) as unknown as RetrievalReply<'search'>;
    expect(await failureOf(client.call('search', call, request, { deadline: inSeconds(5) }))).toMatchObject({
      code: 'INTERNAL.UNEXPECTED',
    });
  });

  it('ends at the deadline on both sides', async () => {
    const { reason } = untilAborted();
    expect(await failureOf(client.call('search', call, request, { deadline: inSeconds(0.2) }))).toMatchObject({
      code: 'DEADLINE.EXCEEDED',
    });
    expect(await reason).toMatchObject({ code: 'DEADLINE.EXCEEDED' });
    expect(lines).toEqual([]);
  });

  it.each([
    [50, 'DEADLINE.EXCEEDED'],
    [20_000, 'REQUEST.CANCELLED'],
  ])('%i ms before the deadline known here, a call that ends is told: %s', async (left, code) => {
    jest.useFakeTimers();
    try {
      let cancel = (): void => undefined;
      const deadline = new Date(Date.now() + 30_000);
      const grpcCall = {
        ...idleCall(),
        getDeadline: () => deadline,
        once: (_: string, end: () => void) => (cancel = end),
      };
      const ended = new Promise((resolve) => {
        handler = ({ signal }) => {
          signal.addEventListener('abort', () => resolve(signal.reason));
          return Promise.resolve(emptyReply());
        };
      });
      const wire = { requestId, callerToken: signer.sign(scope), payloadJson: JSON.stringify(request) };
      await handleRetrievalCall('search', wire, grpcCall, { signer, logger }, (input) => handler(input));
      jest.setSystemTime(deadline.getTime() - left);
      cancel();
      expect(await ended).toMatchObject({ code });
    } finally {
      jest.useRealTimers();
    }
  });

  it("takes the caller's going away to the handler's signal", async () => {
    const { started, reason } = untilAborted();
    const caller = new AbortController();
    const outcome = failureOf(client.call('search', call, request, { deadline: inSeconds(30), signal: caller.signal }));
    await started;
    caller.abort(new AppError('REQUEST.CANCELLED'));
    expect(await outcome).toMatchObject({ code: 'REQUEST.CANCELLED' });
    expect(await reason).toMatchObject({ code: 'REQUEST.CANCELLED' });
  });

  it('sends nothing for a caller that is gone already', async () => {
    let ran = false;
    handler = async () => ((ran = true), emptyReply());
    const error = await failureOf(
      client.call('search', call, request, { deadline: inSeconds(5), signal: AbortSignal.abort() }),
    );
    expect([error.code, ran]).toEqual(['REQUEST.CANCELLED', false]);
  });

  it('carries replies of many megabytes', async () => {
    const query = 'x'.repeat(8_000_000);
    handler = async () => ({ result: { query, hits: [] }, facts: {} });
    const reply = await client.call('search', call, request, { deadline: inSeconds(20) });
    expect(reply.result.query.length).toBe(query.length);
  });

  it('says that retrieval is unavailable, and finds it again when it is back', async () => {
    const port = await freePort();
    const lonely = new GrpcRetrievalClient({ url: `127.0.0.1:${port}` });
    const error = await failureOf(lonely.call('search', call, request, { deadline: inSeconds(10) }));
    expect(error).toMatchObject({ code: 'DEPENDENCY.RETRIEVAL_UNAVAILABLE', status: 503, retryAfterSeconds: 1 });
    const late = await startServer(port);
    await lonely.waitUntilReachable(inSeconds(10));
    expect(await lonely.call('search', call, request, { deadline: inSeconds(10) })).toEqual(emptyReply());
    lonely.close();
    await late.close();
  });

  it('lets running calls finish when the server closes', async () => {
    const port = await freePort();
    const closing = await startServer(port);
    const caller = new GrpcRetrievalClient({ url: `127.0.0.1:${port}` });
    let release: () => void = () => undefined;
    const started = new Promise<void>((tellStarted) => {
      handler = async () => {
        tellStarted();
        await new Promise<void>((resolve) => (release = resolve));
        return emptyReply();
      };
    });
    const reply = caller.call('search', call, request, { deadline: inSeconds(10) });
    await started;
    const closed = closing.close();
    release();
    expect(await reply).toEqual(emptyReply());
    await closed;
    caller.close();
  });
});

describe('mutual TLS', () => {
  it('serves a client of the same authority and no other', async () => {
    const [ours, theirs] = [createAuthority(), createAuthority()];
    const port = await freePort();
    const server = await startServer(port, ours);
    handler = async () => emptyReply();
    const outcomeWith = async (tls: GrpcTls | undefined): Promise<unknown> => {
      const client = new GrpcRetrievalClient({ url: `localhost:${port}`, ...(tls ? { tls } : {}) });
      try {
        return await client
          .call('search', call, request, { deadline: inSeconds(5) })
          .catch((error: unknown) => (error as AppError).code);
      } finally {
        client.close();
      }
    };
    expect(await outcomeWith(ours)).toEqual(emptyReply());
    expect(await outcomeWith({ ...theirs, ca: ours.ca })).toMatch(/RETRIEVAL_UNAVAILABLE|DEADLINE/);
    expect(await outcomeWith({ ...ours, ca: theirs.ca })).toMatch(/RETRIEVAL_UNAVAILABLE|DEADLINE/);
    expect(await outcomeWith(undefined)).toMatch(/RETRIEVAL_UNAVAILABLE|DEADLINE/);
    await server.close();
  }, 30_000);
});

function idleCall(): GrpcCall {
  return {
    cancelled: false,
    metadata: { get: () => [] } as unknown as Metadata,
    getDeadline: () => Infinity,
    once: () => undefined,
    off: () => undefined,
  };
}

/** A certificate that is its own authority, good for `localhost` on both sides. */
function createAuthority(): GrpcTls {
  const folder = mkdtempSync(join(tmpdir(), 'tls-'));
  const config = join(folder, 'config');
  writeFileSync(
    config,
    '[req]\ndistinguished_name=name\nx509_extensions=ext\nprompt=no\n[name]\nCN=localhost\n[ext]\nsubjectAltName=DNS:localhost,IP:127.0.0.1\nbasicConstraints=CA:TRUE\n',
  );
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '1',
      '-config',
      config,
      '-keyout',
      key,
      '-out',
      cert,
    ],
    { stdio: 'pipe' },
  );
  const pem = readFileSync(cert, 'utf8');
  return { ca: pem, cert: pem, key: readFileSync(key, 'utf8') };
}
