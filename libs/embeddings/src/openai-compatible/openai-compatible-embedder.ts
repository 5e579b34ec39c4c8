import OpenAI from 'openai';
import { throwIfCancelled } from '@candor/runtime/cancellation';
import { Coalescer } from '@candor/runtime/coalescer';
import type { Embedder, EmbeddingProfile } from '../embedder.port.js';
import { mapBounded } from '../map-bounded.js';
import { PriorityLanes, type Lane } from '../priority-lanes.js';
import { cutToTokens, estimateTokens } from './estimate-tokens.js';
import { packBatches, type BatchBounds } from './pack-batches.js';
import { readVectors } from './read-vectors.js';
import { translateError } from './translate-error.js';

export interface OpenAiCompatibleEmbedderOptions {
  /** Up to and including `/v1`. */
  baseUrl: string;
  model: string;
  /** Absent for servers that ask for none. */
  apiKey?: string;
  /** Names the weights behind the model name where the operator knows them. Default `unversioned`. */
  revision?: string;
  /** Learned by one probe if absent; either way every reply is held to it. */
  dimensions?: number;
  /** Default 8,191, as OpenAI's models. */
  maxTokens?: number;
  queryPrefix?: string;
  passagePrefix?: string;
  /** Default 64 texts and 32,000 estimated tokens a request. */
  batch?: Partial<BatchBounds>;
  /** Requests at the same time. Default 4. */
  concurrency?: number;
  /** Of the client: on 408, 409, 429, 5xx and broken connections, with back-off, honouring `Retry-After`. Default 4. */
  maxRetries?: number;
  /** Of one attempt. Default 30,000. */
  timeoutMs?: number;
}

/** Any server with OpenAI's `POST /embeddings`: OpenAI itself, vLLM, text-embeddings-inference, Ollama, … */
export class OpenAiCompatibleEmbedder implements Embedder {
  private readonly client: OpenAI;
  private readonly lanes: PriorityLanes;
  private readonly batchBounds: BatchBounds;
  private readonly queries: Coalescer<string, Float32Array>;

  private constructor(
    private readonly options: OpenAiCompatibleEmbedderOptions,
    readonly profile: EmbeddingProfile,
  ) {
    this.client = createClient(options);
    this.lanes = new PriorityLanes(options.concurrency ?? 4);
    this.batchBounds = { texts: options.batch?.texts ?? 64, tokens: options.batch?.tokens ?? 32_000 };
    this.queries = new Coalescer<string, Float32Array>({
      run: (inputs, signal) => this.embed('query', [...inputs], signal),
      maxInputs: this.batchBounds.texts,
      maxWeight: this.batchBounds.tokens,
      weigh: estimateTokens,
      concurrency: this.lanes.width,
    });
  }

  /** @throws AppError DEPENDENCY.EMBEDDINGS_UNAVAILABLE when the probe for the dimensions fails. */
  static async load(options: OpenAiCompatibleEmbedderOptions, signal?: AbortSignal): Promise<OpenAiCompatibleEmbedder> {
    const dimensions = options.dimensions ?? (await probeDimensions(options, signal));
    return new OpenAiCompatibleEmbedder(options, {
      model: options.model,
      revision: options.revision ?? 'unversioned',
      dimensions,
      maxTokens: options.maxTokens ?? 8_191,
    });
  }

  async embedPassages(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    throwIfCancelled(signal);
    const inputs = texts.map((text) => this.prepare(this.options.passagePrefix, text));
    const batches = packBatches(inputs, this.batchBounds);
    const vectors = await mapBounded(batches, this.lanes.width, (batch) => this.embed('passage', batch, signal));
    return vectors.flat();
  }

  /** Queries that come while every request is under way share the next one; the others go at once, each alone. */
  async embedQuery(text: string, signal?: AbortSignal): Promise<Float32Array> {
    return this.queries.call(this.prepare(this.options.queryPrefix, text), signal);
  }

  /** An estimate: the server keeps its tokenizer to itself. */
  countTokens(text: string): number {
    return estimateTokens(text);
  }

  async close(): Promise<void> {
    await this.lanes.close();
  }

  private embed(lane: Lane, inputs: string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    const send = (): Promise<Float32Array[]> =>
      requestVectors(this.client, this.options.model, inputs, this.profile.dimensions, signal);
    return this.lanes.run(lane, send, signal);
  }

  private prepare(prefix: string | undefined, text: string): string {
    const input = cutToTokens((prefix ?? '') + text, this.profile.maxTokens);
    // Servers refuse empty input, and callers are owed a vector for every text.
    return input.length > 0 ? input : ' ';
  }
}

async function probeDimensions(options: OpenAiCompatibleEmbedderOptions, signal?: AbortSignal): Promise<number> {
  const vectors = await requestVectors(createClient(options), options.model, ['dimensions'], null, signal);
  return vectors[0]!.length;
}

async function requestVectors(
  client: OpenAI,
  model: string,
  input: string[],
  dimensions: number | null,
  signal: AbortSignal | undefined,
): Promise<Float32Array[]> {
  try {
    const reply = await client.embeddings.create({ model, input, encoding_format: 'float' }, signal ? { signal } : {});
    return readVectors(reply, input.length, dimensions);
  } catch (error) {
    throw translateError(error);
  }
}

function createClient(options: OpenAiCompatibleEmbedderOptions): OpenAI {
  return new OpenAI({
    baseURL: options.baseUrl,
    apiKey: options.apiKey ?? 'none',
    // Else the client takes them from the environment and sends them to whatever server this is.
    adminAPIKey: null,
    organization: null,
    project: null,
    logLevel: 'off',
    maxRetries: options.maxRetries ?? 4,
    timeout: options.timeoutMs ?? 30_000,
  });
}
