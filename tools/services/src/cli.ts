#!/usr/bin/env node
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { readErrorMessage } from './read-error.js';
import { SERVICE_NAMES, startServices } from './start-services.js';
import type { RunningServices, ServiceName } from './start-services.js';

const HELP = `Starts real servers on 127.0.0.1, prints their addresses as NAME=url lines and stops them on Ctrl-C.

  node tools/services/dist/cli.js start [--dir DIR] [--only NAMES]

  --dir   where data and logs are kept (default .candor/services)
  --only  some of ${SERVICE_NAMES.join(',')} (default: all)

A service whose address is in DATABASE_URL, REDIS_URL or ELASTICSEARCH_URL is used as it is.
PostgreSQL comes with npm; Redis from PATH or apt-get; Elasticsearch is assembled with Maven
and needs a JDK of 21 or newer.
`;

interface Command {
  readonly dataDir: string;
  readonly only: readonly ServiceName[];
}

function readCommand(): Command | 'help' | undefined {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { dir: { type: 'string' }, only: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help === true) {
    return 'help';
  }
  const names = values.only?.split(',') ?? SERVICE_NAMES;
  const only = SERVICE_NAMES.filter((name) => names.includes(name));
  if (positionals.length !== 1 || positionals[0] !== 'start' || only.length !== names.length) {
    return undefined;
  }
  return { dataDir: values.dir ?? '.candor/services', only };
}

async function serve(command: Command): Promise<void> {
  // Also keeps the process up: the servers themselves don't.
  const keepAlive = setInterval(() => undefined, 60_000);
  const asked = new AbortController();
  // Stays installed: a second signal must not cut the orderly stop short.
  const ask = (): void => asked.abort();
  process.on('SIGINT', ask);
  process.on('SIGTERM', ask);
  try {
    await serveUntil(asked.signal, command);
  } finally {
    clearInterval(keepAlive);
  }
}

async function serveUntil(asked: AbortSignal, { dataDir, only }: Command): Promise<void> {
  const onProgress = (line: string): void => void process.stderr.write(`${line}\n`);
  let services: RunningServices;
  try {
    services = await startServices({ dataDir, only, onProgress, signal: asked });
  } catch (error) {
    if (asked.aborted) {
      return;
    }
    throw error;
  }
  for (const [name, url] of Object.entries(services.urls)) {
    process.stdout.write(`${name}=${url}\n`);
  }
  if (!asked.aborted) {
    await once(asked, 'abort');
  }
  await services.stop();
}

try {
  const command = readCommand();
  if (command === 'help') {
    process.stdout.write(HELP);
  } else if (command === undefined) {
    process.stderr.write(HELP);
    process.exitCode = 2;
  } else {
    await serve(command);
  }
} catch (error) {
  process.stderr.write(`${readErrorMessage(error)}\n`);
  process.exitCode = 1;
}
