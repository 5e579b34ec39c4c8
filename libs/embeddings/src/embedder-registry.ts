import { dirname, join } from 'node:path';
import { AppError } from '@candor/contracts';
import { createEmbedder, type EmbedderOptions } from './create-embedder.js';
import type { Embedder, EmbeddingProfile } from './embedder.port.js';
import { ONNX_MODEL_SPECS, type OnnxModelName } from './onnx/onnx-model-specs.js';

/** A profile with the kind of embedder that makes it: what an index keeps, so that its model can be opened again. */
export interface StoredEmbedding extends EmbeddingProfile {
  provider: string;
  /** Of an OpenAI-compatible server's model; a local one's are in its card. */
  queryPrefix?: string;
  passagePrefix?: string;
}

export interface EmbedderRegistryOptions {
  /** What new generations are built with; it stays open. */
  configured: EmbedderOptions;
  /** Folder with a folder for each local model. Default: the one around the configured model's own. */
  modelsDirectory?: string;
  /** Models open at once beside the configured one; those in use count even beyond it. Default 2. */
  maxOpen?: number;
  /** A model that nobody used for so long is closed. Default 600,000 ms. */
  idleMs?: number;
}

interface OpenModel {
  embedder: Promise<Embedder>;
  users: number;
  idleTimer: NodeJS.Timeout | undefined;
}

/**
 * The models of one process: the configured one, and those that indices were built with before. Vectors of two models
 * never meet, so whoever reads or writes an index asks here for the very model of that index.
 */
export class EmbedderRegistry {
  /** Least recently used first. */
  private readonly opened = new Map<string, OpenModel>();
  private closed = false;

  private constructor(
    /** Open as long as the registry is. */
    readonly configured: Embedder,
    /** What is kept of it with an index. */
    readonly configuredEmbedding: StoredEmbedding,
    private readonly options: EmbedderRegistryOptions,
  ) {}

  /** Opens the configured model. Errors: those of `createEmbedder`. */
  static async open(options: EmbedderRegistryOptions): Promise<EmbedderRegistry> {
    const configured = await createEmbedder(options.configured);
    return new EmbedderRegistry(configured, toStored(options.configured, configured.profile), options);
  }

  /** For an embedder that was made otherwise, as tests and benchmarks do; of others it can open those without files. */
  static around(configured: Embedder): EmbedderRegistry {
    const { model, revision, dimensions, maxTokens } = configured.profile;
    const provider = Object.hasOwn(ONNX_MODEL_SPECS, model) ? 'onnx' : 'hashing';
    const stored = { provider, model, revision, dimensions, maxTokens };
    return new EmbedderRegistry(configured, stored, { configured: { kind: 'hashing' } });
  }

  /**
   * Runs `work` with the model of an index; it stays open at least until the work has ended.
   *
   * @param stored null = an index that is older than this record: the configured model.
   * @throws AppError EMBEDDINGS.PROFILE_MISMATCH when that very model can't be opened any more (other weights, other
   *   server), DEPENDENCY.EMBEDDINGS_UNAVAILABLE when its files can't be read.
   */
  async use<Result>(stored: StoredEmbedding | null, work: (embedder: Embedder) => Promise<Result>): Promise<Result> {
    if (stored === null || isSameProfile(stored, this.configuredEmbedding)) return work(this.configured);
    const key = embeddingKeyOf(stored);
    const model = this.take(key, () => this.openStored(stored));
    try {
      return await work(await model.embedder);
    } finally {
      this.giveBack(key, model);
    }
  }

  /**
   * What a new index with the named model would be built with.
   *
   * @param model as `EMBEDDINGS_MODEL`; null = the configured one.
   * @throws AppError CONFIG.INVALID for a name that can't be opened here.
   */
  async resolve(model: string | null): Promise<StoredEmbedding> {
    if (model === null || model === this.configured.profile.model) return this.configuredEmbedding;
    const options = this.optionsFor(model, {});
    const key = `named ${model}`;
    const opened = this.take(key, () => createEmbedder(options));
    try {
      return toStored(options, (await opened.embedder).profile);
    } finally {
      this.giveBack(key, opened);
    }
  }

  /** Models that are open, the configured one among them. */
  get openCount(): number {
    return 1 + this.opened.size;
  }

  async close(): Promise<void> {
    this.closed = true;
    const models = [...this.opened.values()];
    this.opened.clear();
    for (const model of models) clearTimeout(model.idleTimer);
    await Promise.allSettled([this.configured.close(), ...models.map(closeModel)]);
  }

  private take(key: string, open: () => Promise<Embedder>): OpenModel {
    if (this.closed) throw new AppError('DEPENDENCY.EMBEDDINGS_UNAVAILABLE', { message: 'The embedder was closed.' });
    const model = this.opened.get(key) ?? { embedder: open(), users: 0, idleTimer: undefined };
    clearTimeout(model.idleTimer);
    model.users += 1;
    this.opened.delete(key);
    this.opened.set(key, model);
    // One that could not be opened is tried again by the next who wants it.
    model.embedder.catch(() => this.forget(key, model));
    this.closeSurplus();
    return model;
  }

  private giveBack(key: string, model: OpenModel): void {
    model.users -= 1;
    if (model.users > 0 || this.opened.get(key) !== model) return;
    model.idleTimer = setTimeout(() => this.drop(key, model), this.options.idleMs ?? 600_000);
    model.idleTimer.unref();
    this.closeSurplus();
  }

  private closeSurplus(): void {
    for (const [key, model] of this.opened) {
      if (this.opened.size <= (this.options.maxOpen ?? 2)) return;
      if (model.users === 0) this.drop(key, model);
    }
  }

  private drop(key: string, model: OpenModel): void {
    if (model.users > 0) return;
    this.forget(key, model);
    // Nothing waits for it; a failure to end costs memory, not truth.
    void closeModel(model).catch(() => undefined);
  }

  private forget(key: string, model: OpenModel): void {
    clearTimeout(model.idleTimer);
    if (this.opened.get(key) === model) this.opened.delete(key);
  }

  private async openStored(stored: StoredEmbedding): Promise<Embedder> {
    const options = this.optionsFor(stored.model, stored);
    const embedder = await createEmbedder(options);
    if (isSameProfile(toStored(options, embedder.profile), stored)) return embedder;
    await embedder.close();
    throw mismatch(stored);
  }

  private optionsFor(model: string, stored: Partial<StoredEmbedding>): EmbedderOptions {
    const { configured } = this.options;
    const cache = given('queryCacheEntries', configured.queryCacheEntries);
    if (model === 'hashing' && stored.provider !== 'openai-compatible')
      return { kind: 'hashing', ...cache, ...given('dimensions', stored.dimensions) };
    if (configured.kind === 'openai-compatible' && stored.provider !== 'onnx') {
      // The same name on the same server, with another revision: those weights are not there any more.
      const isGone = model === configured.model && stored.revision !== this.configured.profile.revision;
      if (stored.revision !== undefined && isGone) throw mismatch({ ...stored, model });
      const { baseUrl, apiKey, batch, concurrency, maxRetries, timeoutMs } = configured;
      return {
        kind: 'openai-compatible',
        baseUrl,
        model,
        ...cache,
        ...given('apiKey', apiKey),
        ...given('batch', batch),
        ...given('concurrency', concurrency),
        ...given('maxRetries', maxRetries),
        ...given('timeoutMs', timeoutMs),
        ...given('dimensions', stored.dimensions),
        ...given('revision', stored.revision),
        ...given('maxTokens', stored.maxTokens),
        ...given('queryPrefix', stored.queryPrefix),
        ...given('passagePrefix', stored.passagePrefix),
      };
    }
    if (!Object.hasOwn(ONNX_MODEL_SPECS, model)) throw unknownModel(model, stored);
    const directory = this.options.modelsDirectory ?? siblingsOf(configured);
    if (directory === undefined) throw unknownModel(model, stored);
    return {
      kind: 'onnx',
      ...cache,
      model: model as OnnxModelName,
      modelPath: join(directory, model, 'model.onnx'),
      tokenizerPath: join(directory, model, 'tokenizer.json'),
    };
  }
}

function toStored(options: EmbedderOptions, profile: EmbeddingProfile): StoredEmbedding {
  const { model, revision, dimensions, maxTokens } = profile;
  const prefixes =
    options.kind === 'openai-compatible'
      ? { ...given('queryPrefix', options.queryPrefix), ...given('passagePrefix', options.passagePrefix) }
      : {};
  return { provider: options.kind, model, revision, dimensions, maxTokens, ...prefixes };
}

function isSameProfile(left: StoredEmbedding, right: StoredEmbedding): boolean {
  return embeddingKeyOf(left) === embeddingKeyOf(right);
}

export function embeddingKeyOf({ queryPrefix = '', passagePrefix = '', ...stored }: StoredEmbedding): string {
  const { provider, model, revision, dimensions, maxTokens } = stored;
  return JSON.stringify([provider, model, revision, dimensions, maxTokens, queryPrefix, passagePrefix]);
}

function siblingsOf(configured: EmbedderOptions): string | undefined {
  return configured.kind === 'onnx' ? dirname(dirname(configured.modelPath)) : undefined;
}

async function closeModel(model: OpenModel): Promise<void> {
  const embedder = await model.embedder.catch(() => null);
  await embedder?.close();
}

function unknownModel(model: string, stored: Partial<StoredEmbedding>): AppError {
  if (stored.revision !== undefined) return mismatch({ ...stored, model });
  return new AppError('CONFIG.INVALID', {
    message: `The model ${model} cannot be opened here: it is neither a local one with its files nor one of the configured endpoint.`,
  });
}

function mismatch({ provider, model, revision }: Partial<StoredEmbedding>): AppError {
  return new AppError('EMBEDDINGS.PROFILE_MISMATCH', {
    message: `The model that the index was built with (${provider} ${model}) cannot be opened as it was then.`,
    details: { provider, model, revision },
  });
}

/** Leaves the key out when there is no value, so that the adapter's own default holds. */
function given<Key extends string, Value>(key: Key, value: Value | undefined): { [Each in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { [Each in Key]?: Value };
}
