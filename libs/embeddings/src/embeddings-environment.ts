import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '@candor/contracts';
import type { EmbedderOptions } from './create-embedder.js';
import type { EmbedderRegistryOptions } from './embedder-registry.js';
import { ONNX_MODEL_SPECS, type OnnxModelName } from './onnx/onnx-model-specs.js';

/** The variables by which a service chooses its model; every service of an installation must be given the same. */
export const embeddingsEnvironment = {
  EMBEDDINGS_BASE_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('OpenAI-compatible endpoint up to and including /v1; without it the model runs in the process.'),
  EMBEDDINGS_MODEL: z
    .string()
    .default('bge-small-en-v1.5-q')
    .describe('Model name; without a base URL one of the local models, or `hashing` (no model: load tests only).'),
  EMBEDDINGS_API_KEY: z.string().optional().describe('Key of the endpoint.'),
  EMBEDDINGS_REVISION: z.string().optional().describe('Names the weights behind the model name.'),
  EMBEDDINGS_DIMENSIONS: z.coerce.number().int().positive().optional().describe('Learned by one probe if not given.'),
  EMBEDDINGS_QUERY_PREFIX: z.string().optional().describe('Put before queries, where the model asks for one.'),
  EMBEDDINGS_PASSAGE_PREFIX: z.string().optional().describe('Put before passages, where the model asks for one.'),
  CANDOR_MODEL_DIR: z.string().optional().describe('Folder with model.onnx and tokenizer.json of a local model.'),
  CANDOR_MODELS_DIR: z
    .string()
    .optional()
    .describe(
      'Folder with a folder for each local model, for indices that were built with another one. Default: the one around CANDOR_MODEL_DIR.',
    ),
};
export type EmbeddingsEnvironment = z.output<z.ZodObject<typeof embeddingsEnvironment>>;

/** Errors: CONFIG.INVALID, naming the variable. */
export function embedderOptionsFrom(config: EmbeddingsEnvironment): EmbedderOptions {
  const { EMBEDDINGS_BASE_URL: baseUrl, EMBEDDINGS_MODEL: model } = config;
  if (baseUrl !== undefined)
    return {
      kind: 'openai-compatible',
      baseUrl,
      model,
      ...given('apiKey', config.EMBEDDINGS_API_KEY),
      ...given('revision', config.EMBEDDINGS_REVISION),
      ...given('dimensions', config.EMBEDDINGS_DIMENSIONS),
      ...given('queryPrefix', config.EMBEDDINGS_QUERY_PREFIX),
      ...given('passagePrefix', config.EMBEDDINGS_PASSAGE_PREFIX),
    };
  if (model === 'hashing') return { kind: 'hashing', ...given('dimensions', config.EMBEDDINGS_DIMENSIONS) };
  const directory = config.CANDOR_MODEL_DIR;
  if (directory === undefined)
    throw new AppError('CONFIG.INVALID', { message: 'CANDOR_MODEL_DIR must be set, or EMBEDDINGS_BASE_URL' });
  return {
    kind: 'onnx',
    model: localModel(model),
    modelPath: join(directory, 'model.onnx'),
    tokenizerPath: join(directory, 'tokenizer.json'),
  };
}

/** What `EmbedderRegistry.open` takes. Errors: CONFIG.INVALID, naming the variable. */
export function registryOptionsFrom(config: EmbeddingsEnvironment): EmbedderRegistryOptions {
  return { configured: embedderOptionsFrom(config), ...given('modelsDirectory', config.CANDOR_MODELS_DIR) };
}

function localModel(model: string): OnnxModelName {
  if (Object.hasOwn(ONNX_MODEL_SPECS, model)) return model as OnnxModelName;
  const known = [...Object.keys(ONNX_MODEL_SPECS), 'hashing'].join(', ');
  throw new AppError('CONFIG.INVALID', {
    message: `EMBEDDINGS_MODEL must be one of ${known}, or EMBEDDINGS_BASE_URL set`,
  });
}

/** Leaves the key out when there is no value, so that the adapter's own default holds. */
function given<Key extends string, Value>(key: Key, value: Value | undefined): { [Each in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { [Each in Key]?: Value };
}
