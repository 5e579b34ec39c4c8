import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { availableParallelism } from 'node:os';
import { pipeline } from 'node:stream/promises';
import { AppError } from '@candor/contracts';
import type { Embedder, EmbeddingProfile } from '../embedder.port.js';
import { mapBounded } from '../map-bounded.js';
import { PriorityLanes, type Lane } from '../priority-lanes.js';
import { throwIfCancelled } from '@candor/runtime/cancellation';
import { InferencePool } from './inference-pool.js';
import { ModelTokenizer } from './model-tokenizer.js';
import type { OnnxModelSpec } from './onnx-model-specs.js';

export interface OnnxEmbedderOptions {
  modelPath: string;
  tokenizerPath: string;
  spec: OnnxModelSpec;
  /** SHA-256 of the model file (hex) where the caller has just verified it; computed if absent. */
  revision?: string;
  /** Runs at the same time, each with its own copy of the model (about 130 MB). Default 1. */
  parallelRuns?: number;
  /** Threads a run may use. Default: the processors shared among the parallel runs, 2 at most. */
  threads?: number;
}

/**
 * A local model on the processor. One text a run: int8 vectors move by about 0.01 with their batch mates, so only
 * that makes a text's vector depend on nothing else, and it is no slower than batches.
 */
export class OnnxEmbedder implements Embedder {
  private readonly lanes: PriorityLanes;

  private constructor(
    readonly profile: EmbeddingProfile,
    private readonly spec: OnnxModelSpec,
    private readonly tokenizer: ModelTokenizer,
    private readonly pool: InferencePool,
    parallelRuns: number,
  ) {
    this.lanes = new PriorityLanes(parallelRuns);
  }

  /**
   * @throws AppError DEPENDENCY.EMBEDDINGS_UNAVAILABLE when the files can't be read, EMBEDDINGS.PROFILE_MISMATCH
   * when the model gives other dimensions than its spec says.
   */
  static async load(options: OnnxEmbedderOptions): Promise<OnnxEmbedder> {
    const { spec, modelPath } = options;
    const parallelRuns = options.parallelRuns ?? 1;
    const threads = options.threads ?? Math.max(1, Math.min(2, Math.floor(availableParallelism() / parallelRuns)));
    const [revision, tokenizer] = await readFiles(options);
    const pool = await InferencePool.start(parallelRuns, { modelPath, pooling: spec.pooling, threads });
    const profile = { model: spec.model, revision, dimensions: spec.dimensions, maxTokens: spec.maxTokens };
    const embedder = new OnnxEmbedder(profile, spec, tokenizer, pool, parallelRuns);
    try {
      await embedder.verifyDimensions();
    } catch (error) {
      await embedder.close();
      throw error;
    }
    return embedder;
  }

  async embedPassages(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    throwIfCancelled(signal);
    // One more than the runs, so that the next text is at hand when a run ends.
    return mapBounded(texts, this.lanes.width + 1, (text) =>
      this.embed('passage', this.spec.passagePrefix + text, signal),
    );
  }

  async embedQuery(text: string, signal?: AbortSignal): Promise<Float32Array> {
    return this.embed('query', this.spec.queryPrefix + text, signal);
  }

  countTokens(text: string): number {
    return this.tokenizer.count(text);
  }

  async close(): Promise<void> {
    await this.lanes.close();
    await this.pool.close();
  }

  private embed(lane: Lane, text: string, signal: AbortSignal | undefined): Promise<Float32Array> {
    return this.lanes.run(lane, async () => this.pool.run(this.tokenizer.encode(text, this.spec.maxTokens)), signal);
  }

  /** Also warms the session up: its first run is the slowest. */
  private async verifyDimensions(): Promise<void> {
    const vector = await this.embedQuery('warm-up');
    if (vector.length === this.spec.dimensions) return;
    throw new AppError('EMBEDDINGS.PROFILE_MISMATCH', {
      details: { model: this.spec.model, expected: this.spec.dimensions, actual: vector.length },
    });
  }
}

async function readFiles(options: OnnxEmbedderOptions): Promise<[string, ModelTokenizer]> {
  try {
    return await Promise.all([
      options.revision ?? computeFileSha256(options.modelPath),
      ModelTokenizer.load(options.tokenizerPath),
    ]);
  } catch (error) {
    throw new AppError('DEPENDENCY.EMBEDDINGS_UNAVAILABLE', {
      message: `The files of the embedding model ${options.spec.model} cannot be read.`,
      cause: error,
    });
  }
}

async function computeFileSha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
