import { setTimeout as delay } from 'node:timers/promises';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { INestApplication } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { NestMicroservice } from '@nestjs/microservices';
import { HealthRegistry } from '../health/health-registry.js';
import type { Logger } from '../logging/create-logger.js';

export interface ListenOptions {
  port: number;
  /** Default 127.0.0.1. */
  host?: string;
  /** Runs after the application has closed: flush telemetry, stop what main.ts started. */
  onClose?: () => Promise<void>;
  /** Longest time requests get to finish, ms; default 25,000. Whoever sends the signal has to wait longer before it kills. */
  graceMs?: number;
  /**
   * Time in which requests are still taken but connections are told to end, ms; default 250. Without it a keep-alive
   * client that is just writing its next request would find the connection reset.
   */
  drainMs?: number;
  logger?: Logger;
  /** Default: SIGINT and SIGTERM of this process, then `process.exit`. False = only `stop()`, and the process lives on. */
  handleSignals?: boolean;
}

export interface RunningApp {
  port: number;
  url: string;
  /** Drains and closes, once; later calls wait for the first. */
  stop(): Promise<void>;
  /** Fulfilled when closing has ended, well or not; `stop()` tells which. */
  stopped: Promise<void>;
}

/**
 * Starts the transports, listens, and on SIGINT or SIGTERM drains: connections are told to end, no new ones are taken,
 * requests and calls finish, modules close, exit code 0. Another signal meanwhile changes nothing.
 */
export async function listenUntilSignal(app: INestApplication, options: ListenOptions): Promise<RunningApp> {
  const { port, host = '127.0.0.1', handleSignals = true, logger } = options;
  await app.startAllMicroservices();
  const server = (await app.listen(port, host)) as Server;
  const address = server.address() as AddressInfo;

  let tellStopped: () => void;
  const stopped = new Promise<void>((resolve) => (tellStopped = resolve));
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= drainAndClose(app, server, options).finally(tellStopped));

  const onSignal = (signal: NodeJS.Signals): void => {
    if (stopping) return;
    logger?.info({ signal }, 'Draining');
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger?.fatal({ error }, 'Closing failed');
        process.exit(1);
      },
    );
  };
  if (handleSignals) for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);

  const shownHost = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  logger?.info({ port: address.port, host }, 'Listening');
  return { port: address.port, url: `http://${shownHost}:${address.port}`, stop, stopped };
}

export const DEFAULT_GRACE_MS = 25_000;
const DEFAULT_DRAIN_MS = 250;
const IDLE_SWEEP_MS = 50;

async function drainAndClose(app: INestApplication, server: Server, options: ListenOptions): Promise<void> {
  const { graceMs = DEFAULT_GRACE_MS, drainMs = DEFAULT_DRAIN_MS, logger, onClose } = options;
  const grace = AbortSignal.timeout(graceMs);
  // First of all: who asks from here on must not send more.
  findHealth(app)?.drain();
  server.prependListener('request', (_, response: ServerResponse) => response.setHeader('Connection', 'close'));
  await delay(Math.min(drainMs, graceMs));
  const inTime = await endsBefore(grace, Promise.all([closeServer(server), closeTransports(app)]));
  if (!inTime) {
    logger?.warn({ graceMs }, 'Requests were still running at the end of the grace time');
    server.closeAllConnections();
  }
  await app.close();
  await onClose?.();
}

function findHealth(app: INestApplication): HealthRegistry | undefined {
  try {
    // The application's own `get` logs what it doesn't find as an error.
    return app.get(ModuleRef).get(HealthRegistry, { strict: false });
  } catch {
    // An application without probes.
    return undefined;
  }
}

/** Connections that were busy when the server closed stay open idle afterwards; they are swept until the last is gone. */
async function closeServer(server: Server): Promise<void> {
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  try {
    await new Promise<void>((resolve, reject) => server.close((error) => (error ? reject(error) : resolve())));
  } finally {
    clearInterval(sweep);
  }
}

/**
 * Before the modules: Nest itself destroys modules first, under calls and jobs that still use their connections.
 * Nest closes the transports a second time later on, so a strategy's `close()` has to bear that.
 */
async function closeTransports(app: INestApplication): Promise<void> {
  await Promise.all(
    app.getMicroservices().map(async (microservice) => {
      // Else closing one transport would run the shutdown hooks of all modules.
      if (microservice instanceof NestMicroservice) microservice.setIsTerminated(true);
      await microservice.close();
    }),
  );
}

async function endsBefore(limit: AbortSignal, work: Promise<unknown>): Promise<boolean> {
  const expiry = new Promise<false>((resolve) => limit.addEventListener('abort', () => resolve(false), { once: true }));
  return Promise.race([work.then(() => true), expiry]);
}
