import { spawn } from 'node:child_process';
import { readFile, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { claimFolder } from '../claim-folder.js';
import { findProgram } from '../find-program.js';
import { isAlive, sendSignal, waitUntil } from '../inspect-process.js';
import { makePrivateFolder } from '../make-private-folder.js';
import { readErrorCode } from '../read-error.js';
import type { OnProgress, RunningService } from '../running-service.js';
import { ServiceStartError } from '../service-start.error.js';
import { watchOwner } from '../supervise-process.js';

/** Beside `src` and `dist` alike. */
const SCRIPTS = fileURLToPath(new URL('../../elasticsearch/', import.meta.url));
const EXIT_POLL_MS = 500;

export interface StartElasticsearchOptions {
  /** Made if missing, and closed to other users; holds data, log, pid and url of the node. */
  readonly dataDir: string;
  /** Port on 127.0.0.1; 0 or absent takes a free one. */
  readonly port?: number;
  /** JVM heap, default `1g`. */
  readonly heap?: string;
  readonly onProgress?: OnProgress;
  /** Calls the start off: whatever it has begun is ended before it rejects. */
  readonly signal?: AbortSignal | undefined;
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
  await makePrivateFolder(resolve(options.dataDir));
  const dataDir = await realpath(resolve(options.dataDir));
  const release = await claimFolder(dataDir, 'Elasticsearch');
  try {
    if (await isNodeLeft(dataDir)) {
      onProgress(`stopping a node that an earlier run left in ${dataDir}`);
      await runScript('stop-elasticsearch.sh', ['--dir', dataDir], () => undefined).output;
    }
    return watchNode(await startNode(options, dataDir, onProgress), dataDir, release);
  } catch (error) {
    await release();
    throw error;
  }
}

interface StartedNode {
  readonly url: string;
  readonly pid: number;
  readonly releaseWatchdog: () => void;
}

/** What the script starts ends with us at any moment: the script and Maven by its process group, the node by itself. */
async function startNode(
  { port = 0, heap = '1g', signal }: StartElasticsearchOptions,
  dataDir: string,
  onProgress: OnProgress,
): Promise<StartedNode> {
  const isCalledOff = (): boolean => signal?.aborted ?? false;
  if (isCalledOff()) {
    throw calledOff();
  }
  let node: Omit<StartedNode, 'url'> | undefined;
  const args = ['--port', String(port), '--dir', dataDir, '--heap', heap];
  const script = runScript('start-elasticsearch.sh', args, (line) => {
    const pid = Number(/^started (\d+)$/.exec(line)?.[1]);
    if (pid > 0) {
      node = { pid, releaseWatchdog: watchOwner(pid, 'SIGTERM') };
    } else if (line.startsWith('assembling')) {
      onProgress(line);
    }
  });
  const releaseWatchdog = watchOwner(-script.pid, 'SIGTERM');
  const callOff = (): void => sendSignal(-script.pid, 'SIGTERM');
  signal?.addEventListener('abort', callOff, { once: true });
  try {
    const url = await script.output;
    if (node === undefined) {
      throw new ServiceStartError(`the node in ${dataDir} was started by somebody else`);
    }
    return { url, ...node };
  } catch (error) {
    // A script that was killed has not ended its node.
    if (node !== undefined) {
      sendSignal(node.pid, 'SIGTERM');
      node.releaseWatchdog();
    }
    throw isCalledOff() ? calledOff() : error;
  } finally {
    releaseWatchdog();
    signal?.removeEventListener('abort', callOff);
  }
}

function calledOff(): ServiceStartError {
  return new ServiceStartError('the start of Elasticsearch was called off');
}

function watchNode(
  { url, pid, releaseWatchdog }: StartedNode,
  dataDir: string,
  release: () => Promise<void>,
): RunningService {
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
    await runScript('stop-elasticsearch.sh', ['--dir', dataDir], () => undefined).output;
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

interface RunningScript {
  /** Of the script, and of its process group. */
  readonly pid: number;
  /** What it printed, once it has ended; rejects with its complaint when it ended badly. */
  readonly output: Promise<string>;
}

/** Its progress goes to `onLine`. */
function runScript(name: string, args: readonly string[], onLine: (line: string) => void): RunningScript {
  // Detached: Ctrl-C must reach us alone, or a half-started node would be left behind.
  const child = spawn('bash', [join(SCRIPTS, name), ...args], {
    env: process.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const complaints: string[] = [];
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    printed += chunk;
  });
  createInterface(child.stderr).on('line', (line) => {
    onLine(line);
    if (!/^started \d+$/.test(line)) {
      complaints.push(line);
    }
  });
  const output = new Promise<string>((resolvePromise, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) {
        resolvePromise(printed.trim());
      } else {
        reject(new ServiceStartError(complaints.join('\n').trim() || `${name} ended with code ${String(code)}`));
      }
    });
  });
  if (child.pid === undefined) {
    output.catch(() => undefined);
    throw new ServiceStartError('bash could not be started');
  }
  return { pid: child.pid, output };
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
