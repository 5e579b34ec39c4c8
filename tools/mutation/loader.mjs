import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

const COLLECTOR = new URL('./spec-collector.mjs', import.meta.url).href;

const CONTRACTS = new URL('../../libs/contracts/src/index.ts', import.meta.url).href;

/** `@jest/globals` is the collector, and `./x.js` the TypeScript beside it: nothing needs a build. */
export async function resolve(specifier, context, next) {
  if (specifier === '@jest/globals') return { url: COLLECTOR, shortCircuit: true };
  if (specifier === '@candor/contracts') return { url: CONTRACTS, shortCircuit: true };
  if (specifier.startsWith('.') && specifier.endsWith('.js')) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(source)) return { url: source.href, shortCircuit: true };
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const { code } = await transform(await readFile(fileURLToPath(url), 'utf8'), {
    filename: fileURLToPath(url),
    swcrc: false,
    jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: true } },
    module: { type: 'es6' },
  });
  return { format: 'module', source: code, shortCircuit: true };
}
