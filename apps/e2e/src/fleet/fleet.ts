import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createTestDatabase, runRedisCommand, waitFor, type ServiceProcessName } from '@candor/testkit';
import { freePort } from '@candor/services';
import { withDatabase, type ServiceUrls } from '../harness/start-distributed.js';

type Environment = Record<string, string>;

/** As in the image: nothing of the test's own environment but where programs are. */
const PROGRAM_FLAGS = ['--max-semi-space-size=64'];
const SHOWN_OUTPUT = 4_000;
const START_MS = 120_000;

/** One process of a service, as one pod. */
export class FleetMember {
  private output = '';

  constructor(
    readonly service: ServiceProcessName,
    /** Of its HTTP port: the API of a gateway, the probes of the others. */
    readonly url: string,
    /** `127.0.0.1:port` of retrieval's gRPC; empty for the others. */
    readonly grpc: string,
    private readonly child: ChildProcess,
  ) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8');
      stream?.on('data', (text: string) => (this.output = (this.output + text).slice(-SHOWN_OUTPUT)));
    }
  }

  async waitUntilReady(): Promise<void> {
    const state = await waitFor(
      async () => {
        if (this.child.exitCode !== null) return 'ended';
        return (await this.readiness()).status === 200 ? 'ready' : undefined;
      },
      { what: `${this.service} to be ready`, timeoutMs: START_MS },
    );
    if (state === 'ended') throw new Error(`${this.service} ended: ${this.output}`);
  }

  async readiness(): Promise<{ status: number; checks: Record<string, string> }> {
    try {
      const response = await fetch(`${this.url}/readyz`);
      const { checks } = (await response.json()) as { checks: Record<string, string> };
      return { status: response.status, checks };
    } catch {
      return { status: 0, checks: {} };
    }
  }

  async metrics(): Promise<string> {
    return (await fetch(`${this.url}/metrics`)).text();
  }

  /** SIGTERM, as Kubernetes ends a pod; its exit code, null when a signal ended it. */
  async stop(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGTERM');
      await ended;
    }
    return this.child.exitCode;
  }

  /** For the end of a test that failed. */
  kill(): void {
    this.child.kill('SIGKILL');
  }
}

/** The services as processes that are started and ended one by one, as on a cluster; own database, own Redis database. */
export class Fleet {
  readonly members: FleetMember[] = [];
  readonly bootstrapKey = `gm_${randomBytes(8).toString('hex')}_${randomBytes(32).toString('hex')}`;
  private readonly signingKey = randomBytes(32).toString('hex');
  private readonly keys = `first:${randomBytes(32).toString('base64')}`;

  private constructor(
    private readonly image: string,
    private readonly urls: ServiceUrls,
    private readonly extra: Environment,
    private readonly dropDatabase: () => Promise<void>,
  ) {}

  /** @param image folder that `deploy/assemble-image.mjs` made: what a container has, and nothing else. */
  static async open(
    image: string,
    services: ServiceUrls,
    redisDatabase: number,
    extra: Environment = {},
  ): Promise<Fleet> {
    const database = await createTestDatabase(services.DATABASE_URL, { migrate: false, poolSize: 1 });
    const redisUrl = withDatabase(services.REDIS_URL, redisDatabase);
    await runRedisCommand(redisUrl, 'FLUSHDB');
    const urls = { ...services, DATABASE_URL: database.url, REDIS_URL: redisUrl };
    return new Fleet(image, urls, extra, () => database.drop());
  }

  /** Starts one more process; `retrievals` are the gRPC addresses that gateways and synthesis go round. */
  async start(service: ServiceProcessName, retrievals: string[], more: Environment = {}): Promise<FleetMember> {
    const [port, grpcPort] = [await freePort(), await freePort()];
    const grpc = service === 'retrieval' ? (more['GRPC_BIND'] ?? `127.0.0.1:${grpcPort}`) : '';
    const child = spawn(process.execPath, [...PROGRAM_FLAGS, `apps/${service}/dist/main.js`], {
      cwd: this.image,
      env: {
        NODE_ENV: 'production',
        PATH: process.env['PATH'],
        ...this.environmentOf(service, port, grpc, retrievals),
        ...this.extra,
        ...more,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const member = new FleetMember(service, `http://127.0.0.1:${port}`, grpc, child);
    this.members.push(member);
    return member;
  }

  async close(): Promise<void> {
    for (const member of this.members) member.kill();
    await Promise.all(this.members.map((member) => member.stop()));
    await this.dropDatabase();
  }

  private environmentOf(service: ServiceProcessName, port: number, grpc: string, retrievals: string[]): Environment {
    const { DATABASE_URL, REDIS_URL, ELASTICSEARCH_URL } = this.urls;
    const model = { EMBEDDINGS_MODEL: 'hashing' };
    const signed = { CANDOR_SIGNING_KEY: this.signingKey };
    const toRetrieval = { RETRIEVAL_URL: `ipv4:///${retrievals.join(',')}` };
    switch (service) {
      case 'gateway':
        return {
          ...signed,
          ...toRetrieval,
          PORT: String(port),
          DATABASE_URL,
          REDIS_URL,
          CANDOR_ENCRYPTION_KEYS: this.keys,
          CANDOR_BOOTSTRAP_KEY: this.bootstrapKey,
        };
      case 'ingestion-worker':
        return {
          ...model,
          HEALTH_PORT: String(port),
          DATABASE_URL,
          REDIS_URL,
          ELASTICSEARCH_URL,
          CANDOR_ENCRYPTION_KEYS: this.keys,
          CANDOR_AUDIT_KEYS: this.keys,
        };
      case 'retrieval':
        return { ...model, ...signed, HEALTH_PORT: String(port), GRPC_BIND: grpc, DATABASE_URL, ELASTICSEARCH_URL };
      case 'synthesis':
        return { ...model, ...toRetrieval, HEALTH_PORT: String(port), REDIS_URL };
    }
  }
}
