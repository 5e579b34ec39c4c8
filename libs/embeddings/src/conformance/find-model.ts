import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface ModelFiles {
  modelPath: string;
  tokenizerPath: string;
}

/**
 * The default model where `tools/models` puts it. Without one, CI fails and a person gets a loud skip (null).
 */
export function findModel(name: string): ModelFiles | null {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const folder = process.env['CANDOR_MODEL_DIR'] || join(cache, 'candor', 'models', name);
  const files = { modelPath: join(folder, 'model.onnx'), tokenizerPath: join(folder, 'tokenizer.json') };
  if (existsSync(files.modelPath) && existsSync(files.tokenizerPath)) return files;
  const message = `no embedding model ${name} in ${folder}: run tools/models or set CANDOR_MODEL_DIR`;
  if (process.env['CI'] === 'true') throw new Error(message);
  console.warn(`SKIPPED: ${message}`);
  return null;
}
