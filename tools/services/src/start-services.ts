import { join, resolve } from 'node:path';
import { startElasticsearch } from './elasticsearch/start-elasticsearch.js';
import { makePrivateFolder } from './make-private-folder.js';
import { startPostgres } from './postgres/start-postgres.js';
import { startRedis } from './redis/start-redis.js';
import type { OnProgress, RunningService } from './running-service.js';
import { ServiceStartError } from './service-start.error.js';

export const SERVICE_NAMES = ['postgres', 'redis', 'elasticsearch'] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];
export type ServiceVariable = 'DATABASE_URL' | 'REDIS_URL' | 'ELASTICSEARCH_URL';

interface Service {
  readonly name: ServiceName;
  readonly variable: ServiceVariable;
  readonly start: (dataDir: string, onProgress: OnProgress, signal: AbortSignal) => Promise<RunningService>;
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
    // Minutes at the first start; the other two are there, or have failed, within seconds.
    start: (dataDir, onProgress, signal) => startElasticsearch({ dataDir, onProgress, signal }),
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
  /** Calls the start off: what has been started by then is stopped before it rejects. */
  readonly signal?: AbortSignal;
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
    const outcomes = await Promise.allSettled(Object.values(started).map((service) => service.stop()));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) {
      throw failed.reason;
    }
  };
  // Before Redis would make it for itself alone; whose folder it is, the caller knows.
  await makePrivateFolder(resolve(options.dataDir), { holdsPostgres: true, keepMode: true });
  const wanted = SERVICES.filter(({ name }) => options.only?.includes(name) ?? true);
  // Its reason is what went wrong first; the rest of the failures follow from it.
  const giveUp = new AbortController();
  const callOff = (): void => giveUp.abort(new ServiceStartError('the start of the services was called off'));
  options.signal?.addEventListener('abort', callOff, { once: true });
  if (options.signal?.aborted === true) {
    callOff();
  }
  await Promise.allSettled(
    wanted.map(async ({ name, variable, start }) => {
      const given = environment[variable];
      if (given !== undefined && given !== '') {
        urls[variable] = given;
        return;
      }
      try {
        giveUp.signal.throwIfAborted();
        const service = await start(
          join(options.dataDir, name),
          (line) => onProgress(`${name}: ${line}`),
          giveUp.signal,
        );
        started[name] = service;
        urls[variable] = service.url;
      } catch (error) {
        giveUp.abort(error);
      }
    }),
  );
  options.signal?.removeEventListener('abort', callOff);
  if (giveUp.signal.aborted) {
    await stop();
    throw giveUp.signal.reason;
  }
  return { urls, started, stop };
}
