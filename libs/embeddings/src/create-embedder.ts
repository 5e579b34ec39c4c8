import { CachedQueryEmbedder } from './cached-query-embedder.js';
import type { Embedder } from './embedder.port.js';
import { MeasuredEmbedder } from './measured-embedder.js';
import { HashingEmbedder } from './hashing/hashing-embedder.js';
import { OnnxEmbedder, type OnnxEmbedderOptions } from './onnx/onnx-embedder.js';
import { ONNX_MODEL_SPECS, type OnnxModelName } from './onnx/onnx-model-specs.js';
import {
  OpenAiCompatibleEmbedder,
  type OpenAiCompatibleEmbedderOptions,
} from './openai-compatible/openai-compatible-embedder.js';

export type EmbedderOptions = { /** Query vectors kept; default 5,000; 0 = no cache. */ queryCacheEntries?: number } & (
  | ({ kind: 'onnx'; model: OnnxModelName } & Omit<OnnxEmbedderOptions, 'spec'>)
  | ({ kind: 'openai-compatible' } & OpenAiCompatibleEmbedderOptions)
  | { kind: 'hashing'; dimensions?: number }
);

/** The embedder the options ask for, ready for use. Errors: those of the adapters' `load`. */
export async function createEmbedder(options: EmbedderOptions): Promise<Embedder> {
  const embedder = new MeasuredEmbedder(await loadEmbedder(options));
  const maxEntries = options.queryCacheEntries ?? 5_000;
  return maxEntries === 0 ? embedder : new CachedQueryEmbedder(embedder, { maxEntries });
}

async function loadEmbedder(options: EmbedderOptions): Promise<Embedder> {
  switch (options.kind) {
    case 'onnx':
      return OnnxEmbedder.load({ ...options, spec: ONNX_MODEL_SPECS[options.model] });
    case 'openai-compatible':
      return OpenAiCompatibleEmbedder.load(options);
    case 'hashing':
      return new HashingEmbedder(options);
  }
}
