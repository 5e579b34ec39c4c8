import { execFile } from 'node:child_process';
import { mkdir, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { claimFolder } from '../claim-folder.js';
import { readErrorMessage } from '../read-error.js';
import type { OnProgress, RunningService } from '../running-service.js';
import { PortTakenError, ServiceStartError } from '../service-start.error.js';
import { startOnPort } from '../start-on-port.js';
import { readLogTail, superviseProcess, type SupervisedProcess } from '../supervise-process.js';
import { installBacklot } from './install-backlot.js';

const run = promisify(execFile);
const START_TIMEOUT_MS = 60_000;
const POLL_MS = 100;
const FIND_CORPUS = "import backlot, pathlib; print(pathlib.Path(backlot.__file__).parent / 'data' / 'hello.jsonl')";
const YAML_TO_JSON = 'import json, sys, yaml; print(json.dumps([yaml.safe_load(open(p)) for p in sys.argv[1:]]))';

export interface StartBacklotOptions {
  /** Made if missing; holds the corpus as the emulator serves it, and the log. */
  readonly dataDir: string;
  /** A JSONL corpus of the emulator's own format; absent = the one that it brings along. */
  readonly corpus?: string;
  /** Port on 127.0.0.1; 0 or absent takes a free one. */
  readonly port?: number;
  readonly onProgress?: OnProgress;
}

/** Made up by the emulator; they open nothing else. */
export interface BacklotAccounts {
  /** Sees everything at each provider. */
  readonly adminToken: string;
  readonly orgDomain: string;
  readonly users: readonly { readonly email: string; readonly name: string; readonly token: string }[];
  readonly oauthClient: { readonly clientId: string; readonly clientSecret: string };
  readonly serviceAccount: { readonly clientEmail: string; readonly privateKey: string };
}

export interface RunningBacklot extends RunningService {
  /** The JSONL file that is served, one document a line. */
  readonly corpus: string;
  readonly accounts: BacklotAccounts;
}

/**
 * Imports a corpus and serves it as the APIs of Slack (`/slack/api/`), Notion (`/notion`), Drive and Gmail, with telemetry
 * off. Needs Python 3.11 or newer; pip once.
 *
 * @throws ServiceStartError saying what is missing.
 */
export async function startBacklot(options: StartBacklotOptions): Promise<RunningBacklot> {
  const python = await installBacklot(options.onProgress ?? (() => undefined));
  await mkdir(resolve(options.dataDir), { recursive: true });
  const dataDir = await realpath(resolve(options.dataDir));
  const release = await claimFolder(dataDir, 'The emulator of the providers');
  try {
    const corpus = resolve(options.corpus ?? (await findBundledCorpus(python)));
    const accounts = await importCorpus(python, dataDir, corpus);
    const server = await startOnPort(options.port ?? 0, async (port) => ({
      process: await startOnce(python, dataDir, port),
      port,
    }));
    const exited = server.process.exited.then(release);
    const afterExit = async (ending: Promise<void>): Promise<void> => {
      await ending;
      await exited;
    };
    return {
      url: `http://127.0.0.1:${server.port}`,
      pid: server.process.pid,
      corpus,
      accounts,
      exited,
      stop: () => afterExit(server.process.stop()),
      kill9: () => afterExit(server.process.kill9()),
    };
  } catch (error) {
    await release();
    throw error;
  }
}

async function findBundledCorpus(python: string): Promise<string> {
  const { stdout } = await run(python, ['-c', FIND_CORPUS], { env: environment() });
  return stdout.trim();
}

async function importCorpus(python: string, dataDir: string, corpus: string): Promise<BacklotAccounts> {
  const args = ['-m', 'backlot', 'import', corpus, '--data-dir', dataDir];
  try {
    await run(python, args, { cwd: dataDir, env: environment() });
  } catch (error) {
    throw new ServiceStartError(`the emulator took no corpus: ${readErrorMessage(error)}`, { cause: error });
  }
  const { stdout } = await run(python, ['-c', YAML_TO_JSON, 'tokens.yaml', 'credentials.yaml'], { cwd: dataDir });
  const [tokens, credentials] = JSON.parse(stdout) as [
    { admin_token: string; org_domain: string; users: { email: string; name: string; token: string }[] },
    {
      oauth_client: { client_id: string; client_secret: string };
      service_account: { client_email: string; private_key: string };
    },
  ];
  return {
    adminToken: tokens.admin_token,
    orgDomain: tokens.org_domain,
    users: tokens.users,
    oauthClient: {
      clientId: credentials.oauth_client.client_id,
      clientSecret: credentials.oauth_client.client_secret,
    },
    serviceAccount: {
      clientEmail: credentials.service_account.client_email,
      privateKey: credentials.service_account.private_key,
    },
  };
}

async function startOnce(python: string, dataDir: string, port: number): Promise<SupervisedProcess> {
  const logFile = join(dataDir, 'backlot.log');
  const server = await superviseProcess({
    command: python,
    args: [
      ...['-m', 'backlot', 'serve', '--host', '127.0.0.1', '--port', String(port)],
      ...['--data-dir', dataDir, '--disable-telemetry', '--log-level', 'warning'],
    ],
    cwd: dataDir,
    env: environment(),
    logFile,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 15_000,
  });
  try {
    await waitUntilReady(server, port, logFile);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

async function waitUntilReady(server: SupervisedProcess, port: number, logFile: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    if (server.hasExited()) {
      const tail = await readLogTail(logFile);
      throw /address already in use/i.test(tail)
        ? new PortTakenError(port, 'The emulator of the providers')
        : new ServiceStartError(`the emulator of the providers stopped while starting:\n${tail}`);
    }
    if (await isAnswering(port)) return;
    if (Date.now() > deadline) {
      throw new ServiceStartError(
        `the emulator of the providers did not come up within ${START_TIMEOUT_MS / 1000} s; see ${logFile}`,
      );
    }
    await delay(POLL_MS);
  }
}

async function isAnswering(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    // Not up yet; whether it ever will be is the caller's clock and exit check.
    return false;
  }
}

/** Of its own: the user's settings for the emulator, proxies included, don't apply. */
function environment(): NodeJS.ProcessEnv {
  return {
    PATH: '/usr/bin:/bin',
    LC_ALL: 'C.UTF-8',
    BACKLOT_TELEMETRY: 'false',
    DO_NOT_TRACK: '1',
    PYTHONDONTWRITEBYTECODE: '1',
  };
}
