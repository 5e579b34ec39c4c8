import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url));
const swcrc = JSON.parse(readFileSync(new URL('./.swcrc', import.meta.url), 'utf8'));
delete swcrc.$schema;

/** One ESM preset for every project: workspace packages resolve to their sources, so tests need no build. */
export const esm = {
  testEnvironment: `${root}jest.environment.mjs`,
  testMatch: ['<rootDir>/src/**/*.spec.ts'],
  moduleNameMapper: {
    '^@candor/(gateway|ingestion-worker|retrieval|synthesis|standalone|cli)$': `${root}apps/$1/src/index.ts`,
    '^@candor/(services|models)$': `${root}tools/$1/src/index.ts`,
    '^@candor/([^/]+)$': `${root}libs/$1/src/index.ts`,
    '^@candor/([^/]+)/([^/]+)$': `${root}libs/$1/src/$2.ts`,
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swcrc, module: { type: 'es6' }, swcrc: false }] },
};
