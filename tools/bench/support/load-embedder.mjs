import { createEmbedder } from '@candor/embeddings';
import { ensureModel } from '@candor/models';

/** Without a query cache: a benchmark that asks twice must pay twice. */
export async function loadEmbedder(model, onProgress) {
  if (model === 'hashing') return createEmbedder({ kind: 'hashing', queryCacheEntries: 0 });
  const { modelPath, tokenizerPath, sha256 } = await ensureModel({ name: model, onProgress });
  return createEmbedder({ kind: 'onnx', model, modelPath, tokenizerPath, revision: sha256, queryCacheEntries: 0 });
}
