import { spawn } from 'node:child_process';
import { mkdir, readFile, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { claimFolder } from '../claim-folder.js';
import { findProgram } from '../find-program.js';
import { isAlive, sendSignal, waitUntil } from '../inspect-process.js';
import { readErrorCode } from '../read-error.js';
import type { OnProgress, RunningService } from '../running-service.js';
import { ServiceStartError } from '../service-start.error.js';
import { watchOwner } from '../supervise-process.js';

/** Beside `src` and `dist` alike. */
const SCRIPTS = fileURLToPath(new URL('../../elasticsearch/', import.meta.url));
const EXIT_POLL_MS = 500;

export interface StartElasticsearchOptions {
  /** Made if missing; holds data, log, pid and url of the node. */
  readonly dataDir: string;
  /** Port on 127.0.0.1; 0 or absent takes a free one. */
  readonly port?: number;
  /** JVM heap, default `1g`. */
  readonly heap?: string;
  readonly onProgress?: OnProgress;
}

/**
 * Starts a real single-node Elasticsearch on 127.0.0.1, assembled from Maven artifacts on the first use
 * (see `tools/services/elasticsearch/README.md` for what it lacks). Needs Linux and a JDK of 21 or newer; Maven once.
 *
 * @throws ServiceStartError saying what is missing.
 */
export async function startElasticsearch(options: StartElasticsearchOptions): Promise<RunningService> {
  const onProgress = options.onProgress ?? (() => undefined);
  await checkPrograms();
  await mkdir(resolve(options.dataDir), { recursive: true });
  const dataDir = await realpath(resolve(options.dataDir));
  const release = await claimFolder(dataDir, 'Elasticsearch');
  try {
    if (await isNodeLeft(dataDir)) {
      onProgress(`stopping a node that an earlier run left in ${dataDir}`);
      await runScript('stop-elasticsearch.sh', ['--dir', dataDir], onProgress);
    }
    const url = await runScript(
      'start-elasticsearch.sh',
      ['--port', String(options.port ?? 0), '--dir', dataDir, '--heap', options.heap ?? '1g'],
      onProgress,
    );
    const pid = Number(await readFile(join(dataDir, 'pid'), 'utf8'));
    return watchNode(url, pid, dataDir, release);
  } catch (error) {
    await release();
    throw error;
  }
}

function watchNode(url: string, pid: number, dataDir: string, release: () => Promise<void>): RunningService {
  const releaseWatchdog = watchOwner(pid, 'SIGTERM');
  let resolveExited: () => void = () => undefined;
  const gone = new Promise<void>((resolvePromise) => {
    resolveExited = resolvePromise;
  });
  // The node is the script's child, not ours: only asking tells that it ended.
  const timer = setInterval(() => {
    if (!isAlive(pid)) {
      clearInterval(timer);
      releaseWatchdog();
      resolveExited();
    }
  }, EXIT_POLL_MS);
  timer.unref();
  const exited = gone.then(release);
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    timer.ref();
    await runScript('stop-elasticsearch.sh', ['--dir', dataDir], () => undefined);
    await exited;
  };
  return {
    url,
    pid,
    exited,
    stop: () => (stopping ??= stop()),
    kill9: async () => {
      timer.ref();
      sendSignal(pid, 'SIGKILL');
      await waitUntil(() => !isAlive(pid), 10_000);
      await exited;
    },
  };
}

async function checkPrograms(): Promise<void> {
  if (process.platform !== 'linux') {
    throw new ServiceStartError(
      'starting Elasticsearch is supported on Linux only; set ELASTICSEARCH_URL, for example to the one in docker-compose.yml',
    );
  }
  for (const program of ['bash', 'flock', 'setsid', 'ps']) {
    if ((await findProgram([program])) === undefined) {
      throw new ServiceStartError(`starting Elasticsearch needs ${program}; install it or set ELASTICSEARCH_URL`);
    }
  }
}

/** Runs one of the scripts to its end and returns what it printed; its progress goes to `onProgress` line by line. */
function runScript(name: string, args: readonly string[], onProgress: OnProgress): Promise<string> {
  return new Promise((resolvePromise, reject) => {
    // Detached: Ctrl-C must reach us alone, or a half-started node would be left behind.
    const child = spawn('bash', [join(SCRIPTS, name), ...args], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      errors += chunk;
      for (const line of chunk.split('\n').filter((candidate) => candidate.startsWith('assembling'))) {
        onProgress(line);
      }
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) {
        resolvePromise(output.trim());
      } else {
        reject(new ServiceStartError(errors.trim() || `${name} ended with code ${String(code)}`));
      }
    });
  });
}

async function isNodeLeft(dataDir: string): Promise<boolean> {
  try {
    return isAlive(Number(await readFile(join(dataDir, 'pid'), 'utf8')));
  } catch (error) {
    if (readErrorCode(error) === 'ENOENT') {
      return false;
    }
    throw error;
  }
}
