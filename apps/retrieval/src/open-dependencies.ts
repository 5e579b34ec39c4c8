import { join } from 'node:path';
import { AppError } from '@candor/contracts';
import {
  createEmbedder,
  ONNX_MODEL_SPECS,
  type Embedder,
  type EmbedderOptions,
  type OnnxModelName,
} from '@candor/embeddings';
import { Database, RetrievalViews } from '@candor/persistence/views';
import {
  createElasticsearchReader,
  createLanceDbReader,
  type ElasticsearchOptions,
  type SearchIndexReader,
} from '@candor/search-index/read';
import type { RetrievalConfig } from './config.js';

export interface OpenedDependencies {
  database: Database;
  views: RetrievalViews;
  reader: SearchIndexReader;
  embedder: Embedder;
  close(): Promise<void>;
}

/** Loads the model, which takes seconds; the database and the index are connected to on first use. */
export async function openDependencies(config: RetrievalConfig): Promise<OpenedDependencies> {
  const embedder = await createEmbedder(embedderOptionsOf(config));
  const database = new Database({
    url: config.DATABASE_URL,
    applicationName: 'candor-retrieval',
    poolSize: 20,
    readOnly: true,
  });
  const reader = openReader(config);
  return {
    database,
    views: new RetrievalViews(database),
    reader,
    embedder,
    close: async () => {
      await Promise.allSettled([reader.close(), embedder.close(), database.close()]);
    },
  };
}

function openReader(config: RetrievalConfig): SearchIndexReader {
  if (config.LANCEDB_DIR !== undefined) return createLanceDbReader({ directory: config.LANCEDB_DIR });
  return createElasticsearchReader({
    url: required(config.ELASTICSEARCH_URL, 'ELASTICSEARCH_URL'),
    ...authOf(config),
    ...(config.ELASTICSEARCH_CA === undefined ? {} : { certificateAuthority: config.ELASTICSEARCH_CA }),
  });
}

function authOf(config: RetrievalConfig): Pick<ElasticsearchOptions, 'auth'> {
  const { ELASTICSEARCH_API_KEY: apiKey, ELASTICSEARCH_USERNAME: username, ELASTICSEARCH_PASSWORD: password } = config;
  if (apiKey !== undefined) return { auth: { apiKey } };
  return username !== undefined && password !== undefined ? { auth: { username, password } } : {};
}

function embedderOptionsOf(config: RetrievalConfig): EmbedderOptions {
  const { EMBEDDINGS: kind, EMBEDDINGS_MODEL: model } = config;
  switch (kind) {
    case 'hashing':
      return { kind, ...optional('dimensions', config.EMBEDDINGS_DIMENSIONS) };
    case 'onnx': {
      const directory = required(config.CANDOR_MODEL_DIR, 'CANDOR_MODEL_DIR');
      return {
        kind,
        model: onnxModelOf(model),
        modelPath: join(directory, 'model.onnx'),
        tokenizerPath: join(directory, 'tokenizer.json'),
      };
    }
    case 'openai-compatible':
      return {
        kind,
        model,
        baseUrl: required(config.EMBEDDINGS_URL, 'EMBEDDINGS_URL'),
        ...optional('apiKey', config.EMBEDDINGS_API_KEY),
        ...optional('revision', config.EMBEDDINGS_REVISION),
        ...optional('dimensions', config.EMBEDDINGS_DIMENSIONS),
        ...optional('queryPrefix', config.EMBEDDINGS_QUERY_PREFIX),
        ...optional('passagePrefix', config.EMBEDDINGS_PASSAGE_PREFIX),
      };
  }
}

function onnxModelOf(model: string): OnnxModelName {
  if (Object.hasOwn(ONNX_MODEL_SPECS, model)) return model as OnnxModelName;
  const known = Object.keys(ONNX_MODEL_SPECS).join(', ');
  throw new AppError('CONFIG.INVALID', { message: `EMBEDDINGS_MODEL must be one of ${known}` });
}

function required<Value>(value: Value | undefined, name: string): Value {
  if (value === undefined) throw new AppError('CONFIG.INVALID', { message: `${name} must be set` });
  return value;
}

/** Leaves the key out when there is no value, so that the library's own default holds. */
function optional<Key extends string, Value>(key: Key, value: Value | undefined): { [Each in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { [Each in Key]?: Value };
}
