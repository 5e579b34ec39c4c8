import { join } from 'node:path';
import { startElasticsearch } from './elasticsearch/start-elasticsearch.js';
import { startPostgres } from './postgres/start-postgres.js';
import { startRedis } from './redis/start-redis.js';
import type { OnProgress, RunningService } from './running-service.js';

export const SERVICE_NAMES = ['postgres', 'redis', 'elasticsearch'] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];
export type ServiceVariable = 'DATABASE_URL' | 'REDIS_URL' | 'ELASTICSEARCH_URL';

interface Service {
  readonly name: ServiceName;
  readonly variable: ServiceVariable;
  readonly start: (dataDir: string, onProgress: OnProgress) => Promise<RunningService>;
}

const SERVICES: readonly Service[] = [
  {
    name: 'postgres',
    variable: 'DATABASE_URL',
    start: (dataDir, onProgress) => startPostgres({ dataDir, onProgress }),
  },
  { name: 'redis', variable: 'REDIS_URL', start: (dataDir, onProgress) => startRedis({ dataDir, onProgress }) },
  {
    name: 'elasticsearch',
    variable: 'ELASTICSEARCH_URL',
    start: (dataDir, onProgress) => startElasticsearch({ dataDir, onProgress }),
  },
];

export interface StartServicesOptions {
  /** Default: all three. */
  readonly only?: readonly ServiceName[];
  /** Each service gets a folder of its name in it. */
  readonly dataDir: string;
  /** A service whose URL is given here is neither started nor ever stopped. Default `process.env`. */
  readonly env?: NodeJS.ProcessEnv;
  readonly onProgress?: OnProgress;
}

export interface RunningServices {
  readonly urls: Readonly<Partial<Record<ServiceVariable, string>>>;
  /** The ones started here. */
  readonly started: Readonly<Partial<Record<ServiceName, RunningService>>>;
  stop(): Promise<void>;
}

/** Starts the wanted services side by side; when one fails, the others are stopped before this rejects with its error. */
export async function startServices(options: StartServicesOptions): Promise<RunningServices> {
  const environment = options.env ?? process.env;
  const onProgress = options.onProgress ?? (() => undefined);
  const urls: Partial<Record<ServiceVariable, string>> = {};
  const started: Partial<Record<ServiceName, RunningService>> = {};
  const stop = async (): Promise<void> => {
    await Promise.all(Object.values(started).map((service) => service.stop()));
  };
  const wanted = SERVICES.filter(({ name }) => options.only?.includes(name) ?? true);
  const outcomes = await Promise.allSettled(
    wanted.map(async ({ name, variable, start }) => {
      const given = environment[variable];
      if (given !== undefined && given !== '') {
        urls[variable] = given;
        return;
      }
      const service = await start(join(options.dataDir, name), (line) => onProgress(`${name}: ${line}`));
      started[name] = service;
      urls[variable] = service.url;
    }),
  );
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) {
    await stop();
    throw failed.reason;
  }
  return { urls, started, stop };
}
