import { randomBytes } from 'node:crypto';
import { ModulesContainer } from '@nestjs/core';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { AuditEventView } from '@candor/contracts';
import { createTestDatabase, type TestDatabase } from '@candor/persistence/testing';
import { JobProducer, RedisReplyChannel } from '@candor/queue';
import {
  CallerTokenSigner,
  createLogger,
  CredentialCipher,
  findRouteHandlers,
  HealthRegistry,
  listenUntilSignal,
  type RouteHandler,
  type RunningApp,
} from '@candor/runtime';
import { FirstKeyService } from '../../../access/first-key.service.js';
import { RateLimiterService } from '../../../access/rate-limiter.service.js';
import { createGatewayApp } from '../../../create-gateway-app.js';
import type { McpAddress } from '../mcp-environment.js';
import { ScriptedRetrieval } from './scripted-retrieval.js';

export interface HttpAnswer {
  status: number;
  headers: Headers;
  body: unknown;
}

interface Replica {
  running: RunningApp;
  handlers: RouteHandler[];
  close: () => Promise<void>;
}

/** Two gateways of one installation: one database, one Redis, retrieval as the test plays it. */
export class GatewayReplicas {
  private constructor(
    private readonly database: TestDatabase,
    private readonly replicas: readonly Replica[],
    readonly retrieval: ScriptedRetrieval,
    private readonly adminKey: string,
  ) {}

  static async start(
    servers: { databaseUrl: string; redisUrl: string },
    address: McpAddress,
  ): Promise<GatewayReplicas> {
    const database = await createTestDatabase(servers.databaseUrl);
    const retrieval = new ScriptedRetrieval();
    const signingKey = randomBytes(32).toString('hex');
    let adminKey = '';
    const open = async (): Promise<Replica> => {
      const logger = createLogger('gateway', { level: 'fatal' });
      const jobs = new JobProducer({ kind: 'redis', url: servers.redisUrl, prefix: `t-${signingKey.slice(0, 8)}` });
      const replies = new RedisReplyChannel(servers.redisUrl, () => undefined);
      const app = await createGatewayApp(
        {
          database: database.database,
          jobs,
          replies,
          retrieval,
          rateLimiter: new RateLimiterService(null),
          signer: new CallerTokenSigner(signingKey),
          cipher: new CredentialCipher(`k:${randomBytes(32).toString('base64')}`),
          addressRules: { allowPrivateAddresses: false },
          limits: { searchDeadlineMs: 60_000, reasonDeadlineMs: 60_000 },
          mcpAddress: address,
        },
        { logger, health: new HealthRegistry() },
      );
      const onClose = async (): Promise<void> => void (await Promise.allSettled([jobs.close(), replies.close()]));
      const running = await listenUntilSignal(app, { port: 0, handleSignals: false, drainMs: 0, onClose });
      adminKey = await app.get(FirstKeyService, { strict: false }).ensure(adminKey || null);
      const handlers = findRouteHandlers(app.get(ModulesContainer, { strict: false }));
      return { running, handlers, close: () => running.stop() };
    };
    return new GatewayReplicas(database, [await open(), await open()], retrieval, adminKey);
  }

  async stop(): Promise<void> {
    await Promise.all(this.replicas.map(({ close }) => close()));
    await this.database.drop();
  }

  /** What answers the routes of one of them. */
  routeHandlers(): RouteHandler[] {
    return this.replicas[0]?.handlers ?? [];
  }

  url(replica = 0): string {
    return this.replicas[replica]?.running.url ?? '';
  }

  async send(
    method: string,
    path: string,
    options: { key?: string | null; body?: unknown; headers?: Record<string, string>; replica?: number } = {},
  ): Promise<HttpAnswer> {
    const { key = this.adminKey, body, headers, replica } = options;
    const response = await fetch(`${this.url(replica)}${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `API-Key ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return { status: response.status, headers: response.headers, body: isJson ? (JSON.parse(text) as unknown) : text };
  }

  async createKey(fields: Record<string, unknown> = {}): Promise<{ id: string; key: string }> {
    const { status, body } = await this.send('POST', '/v1/api-keys', {
      body: {
        name: 'Agent',
        actorType: 'agent',
        allowedActions: ['search', 'context', 'reason', 'documents:read'],
        allowedProviders: null,
        principals: null,
        rateLimitPerMinute: null,
        ...fields,
      },
    });
    if (status !== 201) throw new Error(JSON.stringify(body));
    return (body as { data: { id: string; key: string } }).data;
  }

  /** Of one request, oldest first. */
  async events(requestId: string): Promise<AuditEventView[]> {
    const { body } = await this.send('GET', `/v1/audit-events?requestId=${requestId}`);
    return (body as { data: AuditEventView[] }).data.reverse();
  }

  /** The official client; `replicaOf` says which replica gets a message. */
  async connect(key: string, replicaOf: (body: string) => number = () => 0): Promise<Client> {
    const client = new Client({ name: 'spec', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL(`${this.url()}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
      fetch: (_url, init) => fetch(`${this.url(replicaOf(typeof init?.body === 'string' ? init.body : ''))}/mcp`, init),
    });
    await client.connect(transport);
    return client;
  }
}
