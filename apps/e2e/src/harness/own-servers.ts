import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  removeServiceData,
  startElasticsearch,
  startPostgres,
  startRedis,
  type RunningService,
} from '@candor/services';
import { reservePort } from './reserve-port.js';
import type { ServiceUrls } from './start-distributed.js';

const STARTS = { postgres: startPostgres, redis: startRedis, elasticsearch: startElasticsearch };
export type ServerName = keyof typeof STARTS;
const NAMES = Object.keys(STARTS) as ServerName[];
type Starts = Record<ServerName, (options: { dataDir: string; port: number }) => Promise<RunningService>>;

/** Postgres, Redis and Elasticsearch of a suite's own, each of which may be killed and comes back on its port. */
export class OwnServers {
  private readonly running = new Map<ServerName, RunningService>();

  private constructor(
    private readonly dataDir: string,
    private readonly ports: Record<ServerName, number>,
    private readonly starts: Starts,
  ) {}

  /** All of them, or none: when one can't be started, the others are stopped before this rejects. */
  static async start(starts: Starts = STARTS): Promise<OwnServers> {
    const dataDir = await mkdtemp(join(tmpdir(), 'candor-fault-servers-'));
    // The embedded Postgres may run as another user, who has to get through.
    await chmod(dataDir, 0o755);
    const ports = { postgres: await reservePort(), redis: await reservePort(), elasticsearch: await reservePort() };
    const servers = new OwnServers(dataDir, ports, starts);
    try {
      await servers.startDead();
      return servers;
    } catch (error) {
      await servers.stop();
      throw error;
    }
  }

  get urls(): ServiceUrls {
    return {
      DATABASE_URL: this.server('postgres').url,
      REDIS_URL: this.server('redis').url,
      ELASTICSEARCH_URL: this.server('elasticsearch').url,
    };
  }

  /** SIGKILL: the server gets no chance to write anything. */
  async kill(name: ServerName): Promise<void> {
    await this.server(name).kill9();
    this.running.delete(name);
  }

  /** After `kill`: on the same port, with what it had written, or without if `isEmpty`. */
  async start(name: ServerName, { isEmpty = false } = {}): Promise<void> {
    const dataDir = join(this.dataDir, name);
    if (isEmpty) await rm(dataDir, { recursive: true });
    this.running.set(name, await this.starts[name]({ dataDir, port: this.ports[name] }));
  }

  /** Whatever was killed and not started since: what a test that failed on its way leaves behind. */
  async startDead(): Promise<void> {
    // Each to its end: one that came up after `stop` would be left running.
    await settleAll(NAMES.filter((name) => !this.running.has(name)).map((name) => this.start(name)));
  }

  async stop(): Promise<void> {
    await settleAll([...this.running.values()].map((server) => server.stop()));
    await removeServiceData(this.dataDir);
  }

  private server(name: ServerName): RunningService {
    const server = this.running.get(name);
    if (!server) throw new Error(`${name} is not running`);
    return server;
  }
}

/** @throws the first failure, once all have ended. */
async function settleAll(work: Promise<void>[]): Promise<void> {
  await Promise.allSettled(work);
  await Promise.all(work);
}
