import { ensureModel, isModelName, modelCacheFolder } from '@candor/models';

export interface ModelChoice {
  EMBEDDINGS_BASE_URL?: string | undefined;
  EMBEDDINGS_MODEL: string;
  CANDOR_MODEL_DIR?: string | undefined;
  CANDOR_MODELS_DIR?: string | undefined;
}

/** Gets the local model into the cache where one is wanted; undefined when the choice needs no file. */
export async function findModelDirectory(
  choice: ModelChoice,
  onProgress: (line: string) => void,
): Promise<string | undefined> {
  if (choice.EMBEDDINGS_BASE_URL !== undefined || !isModelName(choice.EMBEDDINGS_MODEL)) return choice.CANDOR_MODEL_DIR;
  const model = await ensureModel({ name: choice.EMBEDDINGS_MODEL, onProgress });
  return model.dir;
}

/** Where the models of indices are that were built with another one than is chosen now. */
export function findModelsDirectory({ CANDOR_MODELS_DIR: given }: ModelChoice): string {
  return given ?? modelCacheFolder();
}
