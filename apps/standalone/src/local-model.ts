import { ensureModel, isModelName } from '@candor/models';

export interface ModelChoice {
  EMBEDDINGS_BASE_URL?: string | undefined;
  EMBEDDINGS_MODEL: string;
  CANDOR_MODEL_DIR?: string | undefined;
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
