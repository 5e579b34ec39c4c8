import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * The real servers, the browser and the model that the tests use. One that can't be had is a failure in CI, and for a person a skip
 * that is said aloud: the tests that need it skip themselves when its variable is absent.
 */
export async function startTestServices(root, { say, counts, strict }) {
  const load = (path) => import(pathToFileURL(join(root, path)).href);
  const { SERVICE_NAMES, provideChromium, providePostgresPrograms, startServices, removeServiceData } =
    await load('tools/services/dist/index.js');
  const { ensureModel } = await load('tools/models/dist/index.js');
  const dataDir = join(root, '.candor', `test-${process.pid}`);
  const onProgress = (line) => say(`  ${line}`);
  const variables = {};
  const running = [];
  const starts = {
    ...Object.fromEntries(
      SERVICE_NAMES.map((name) => [
        name,
        async () => {
          const services = await startServices({ only: [name], dataDir, env: process.env, onProgress });
          running.push(services);
          Object.assign(variables, services.urls);
        },
      ]),
    ),
    chromium: async () => {
      variables.CANDOR_CHROMIUM = await provideChromium({ onProgress });
    },
    'pg_dump and its server': async () => {
      variables.CANDOR_POSTGRES_PROGRAMS = await providePostgresPrograms({ onProgress });
    },
    model: async () => {
      variables.CANDOR_MODEL_DIR = (await ensureModel({ onProgress })).dir;
    },
  };
  await removeDeadRuns(root, removeServiceData);
  await Promise.all(
    Object.entries(starts).map(async ([name, start]) => {
      try {
        await start();
      } catch (error) {
        if (strict) counts.fail(`starting ${name}`, error.message);
        else counts.skip(name, error.message);
      }
    }),
  );
  const stop = async () => {
    const outcomes = await Promise.allSettled(running.map((services) => services.stop()));
    await removeServiceData(dataDir);
    const failed = outcomes.find(({ status }) => status === 'rejected');
    if (failed) throw failed.reason;
  };
  return { variables, stop };
}

/** Data of runs that were killed; a living one's is left alone. */
async function removeDeadRuns(root, removeServiceData) {
  const folder = join(root, '.candor');
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const pid = /^test-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) await removeServiceData(join(folder, name));
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
