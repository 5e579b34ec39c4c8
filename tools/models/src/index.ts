export { ensureModel, modelCacheFolder } from './ensure-model.js';
export type { EnsureModelOptions, LocalModel } from './ensure-model.js';
export { DEFAULT_MODEL, MODEL_CATALOGUE, isModelName } from './model-catalogue.js';
export type { ModelName, ModelSource } from './model-catalogue.js';
export { ModelUnavailableError } from './model-unavailable.error.js';
export { ChecksumMismatchError } from './verify-checksum.js';
