/**
 * `npm start`: from a fresh clone to a running Candor. Only Node's own modules until the packages are installed;
 * the profile itself then runs in this process, so that signals reach it.
 */
import { accessSync, constants, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { BootstrapError } from './bootstrap/bootstrap.error.mjs';
import { buildSources, isBuilt } from './bootstrap/build-sources.mjs';
import { requireSupportedNode } from './bootstrap/check-node-version.mjs';
import { killChildren } from './bootstrap/child-processes.mjs';
import { installPackages } from './bootstrap/install-packages.mjs';

const PROFILES = { standalone: 'apps/standalone/dist/main.js', distributed: 'apps/standalone/dist/distributed.js' };
/** What a profile serves beside its own code. */
const CONSOLE = 'apps/console/dist/index.html';
const DEFAULT_PORT = 3000;

/** Errors of the profile whose message says what to do. */
const FORESEEN = ['AppError', 'ServiceStartError', 'PortTakenError', 'ModelUnavailableError', 'ChecksumMismatchError'];

const root = fileURLToPath(new URL('..', import.meta.url));
const say = (line) => console.log(`candor: ${line}`);

const isForeseen = (error) => error instanceof BootstrapError || FORESEEN.includes(error.name);

function chooseProfile(argument = 'standalone') {
  if (!Object.hasOwn(PROFILES, argument)) {
    throw new BootstrapError(`unknown profile "${argument}"; use ${Object.keys(PROFILES).join(' or ')}`);
  }
  return PROFILES[argument];
}

/** Level by level: `recursive` never returns where the system answers ENOENT to making a folder, as below /proc. */
function makeFolder(folder, mode = 0o777) {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  mkdirSync(folder, mode);
}

function requireWritableData() {
  const folder = resolve(root, process.env.CANDOR_DATA || '.candor');
  try {
    // Closed to other users from the beginning; as root, PostgreSQL's has to pass (`openDataFolder` of the profiles).
    makeFolder(folder, process.getuid?.() === 0 ? 0o711 : 0o700);
    accessSync(folder, constants.W_OK | constants.X_OK);
    readdirSync(folder);
  } catch (error) {
    throw new BootstrapError(
      `can't use ${folder} as data folder (${error.code}); set CANDOR_DATA to a folder that is writable`,
    );
  }
}

async function requireFreePort() {
  const given = process.env.PORT || String(DEFAULT_PORT);
  const port = Number(given);
  if (!/^\d{1,5}$/.test(given) || port > 65_535) {
    throw new BootstrapError('PORT must be a port number from 0 to 65535');
  }
  const host = process.env.HOST || '127.0.0.1';
  const failure = await new Promise((settle) => {
    const server = createServer();
    server.once('error', settle);
    server.listen(port, host, () => server.close(() => settle(undefined)));
  });
  if (failure?.code === 'EADDRINUSE') {
    throw new BootstrapError(
      `port ${port} on ${host} is in use; set PORT to another one, e.g. PORT=${port + 1} npm start`,
    );
  }
  if (failure) throw new BootstrapError(`can't listen on PORT ${port} of ${host} (${failure.code})`);
}

async function prepare(entry) {
  let interrupted;
  const interrupt = (signal) => {
    interrupted ??= signal;
    killChildren(signal);
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  try {
    const outputs = [entry, CONSOLE];
    await installPackages(root, say, { needsTools: !isBuilt(root, outputs) });
    if (!interrupted) await buildSources(root, outputs, say);
  } catch (error) {
    if (!interrupted) throw error;
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
  // As the shell would report it; the profile installs its own handlers from here on.
  if (interrupted) process.exit(interrupted === 'SIGINT' ? 130 : 143);
}

requireSupportedNode();
try {
  const entry = chooseProfile(process.argv[2]);
  requireWritableData();
  await requireFreePort();
  await prepare(entry);
  const { main } = await import(pathToFileURL(join(root, entry)).href);
  await main();
} catch (error) {
  // A stack only for what nobody foresaw.
  console.error(isForeseen(error) ? `candor: ${error.message}` : error);
  process.exit(1);
}
