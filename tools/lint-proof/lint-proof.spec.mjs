import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const boundaries = '@nx/enforce-module-boundaries';

// The texts stand in for files that exist: type-aware rules know no others.
const contracts = 'libs/contracts/src/index.ts';
const synthesis = 'apps/synthesis/src/index.ts';
const retrieval = 'apps/retrieval/src/index.ts';
const gateway = 'apps/gateway/src/index.ts';
const worker = 'apps/ingestion-worker/src/index.ts';
const standalone = 'apps/standalone/src/index.ts';

const use = (name, from) => `import { ${name} } from '${from}';\n\nexport const used = ${name};\n`;

/** [what, the file that has the text, text, the rule that must reject it] */
const rejected = [
  ['contracts importing a lib above it', contracts, use('a', '@candor/persistence'), boundaries],
  ['contracts importing runtime', contracts, use('a', '@candor/runtime'), boundaries],
  ['reasoning importing runtime', 'libs/reasoning/src/index.ts', use('a', '@candor/runtime'), boundaries],
  ['one adapter importing another', 'libs/queue/src/index.ts', use('a', '@candor/persistence'), boundaries],
  ['a lib importing an app', 'libs/audit/src/index.ts', use('a', '@candor/gateway'), boundaries],
  ['an app importing an app', gateway, use('a', '@candor/synthesis'), boundaries],
  ['an app importing another by its path', gateway, use('a', '../../synthesis/src/index.js'), boundaries],
  ['an app importing the test fixtures', gateway, use('a', '@candor/testkit'), boundaries],
  ['synthesis importing persistence', synthesis, use('a', '@candor/persistence'), boundaries],
  ['synthesis importing search-index', synthesis, use('a', '@candor/search-index/read'), boundaries],
  ['synthesis reaching persistence through audit', synthesis, use('a', '@candor/audit'), boundaries],
  ['retrieval importing all of persistence', retrieval, use('a', '@candor/persistence'), 'no-restricted-imports'],
  ['retrieval importing the index writer', retrieval, use('a', '@candor/search-index/write'), 'no-restricted-imports'],
  ['the gateway importing the index', gateway, use('a', '@candor/search-index/read'), boundaries],
  ['the gateway importing the file readers', gateway, use('a', '@candor/extraction'), 'no-restricted-imports'],
  [
    'the file readers importing persistence',
    'libs/extraction/src/index.ts',
    use('a', '@candor/persistence'),
    boundaries,
  ],
  ["a package's inner file", gateway, use('a', '@candor/contracts/dist/ids.js'), 'no-restricted-imports'],
  ['typeorm outside persistence', worker, use('DataSource', 'typeorm'), 'no-restricted-imports'],
  ['pg outside persistence', worker, use('Pool', 'pg'), 'no-restricted-imports'],
  ['bullmq outside queue', worker, use('Queue', 'bullmq'), 'no-restricted-imports'],
  ['ioredis outside queue', gateway, use('Redis', 'ioredis'), 'no-restricted-imports'],
  ['Elasticsearch outside search-index', retrieval, use('Client', '@elastic/elasticsearch'), 'no-restricted-imports'],
  ['LanceDB outside search-index', worker, use('connect', '@lancedb/lancedb'), 'no-restricted-imports'],
  ['onnxruntime outside embeddings', worker, use('Tensor', 'onnxruntime-node'), 'no-restricted-imports'],
  ['openai outside synthesis and embeddings', worker, use('OpenAI', 'openai'), 'no-restricted-imports'],
  ["Nest's own route decorator", gateway, use('Get', '@nestjs/common'), 'no-restricted-imports'],
  [
    'a cycle',
    'tools/lint-proof/fixtures/cycle-a.ts',
    readFileSync(`${folder}fixtures/cycle-a.ts`, 'utf8'),
    'import-x/no-cycle',
  ],
  [
    'any',
    synthesis,
    'export const loose = (value: any): boolean => value === 1;\n',
    '@typescript-eslint/no-explicit-any',
  ],
  [
    'a floating promise',
    synthesis,
    'export const drop = (): void => {\n  Promise.resolve(1);\n};\n',
    '@typescript-eslint/no-floating-promises',
  ],
  [
    'a promise as a condition',
    synthesis,
    'export const ask = (p: Promise<boolean>): number => (p ? 1 : 2);\n',
    '@typescript-eslint/no-misused-promises',
  ],
  [
    'a switch that forgets a case',
    synthesis,
    "export const pick = (v: 'a' | 'b'): void => {\n  switch (v) {\n    case 'a':\n      return;\n  }\n};\n",
    '@typescript-eslint/switch-exhaustiveness-check',
  ],
  [
    'a type imported as a value',
    gateway,
    "import { URL } from 'node:url';\n\nexport const read = (url: URL): string => url.href;\n",
    '@typescript-eslint/consistent-type-imports',
  ],
  ['process.env outside configuration', gateway, 'export const home = process.env;\n', 'no-restricted-properties'],
  ['a default export', gateway, 'const value = 1;\nexport default value;\n', 'import-x/no-default-export'],
  [
    '401 lines',
    gateway,
    Array.from({ length: 401 }, (_, i) => `export const line${i} = ${i};\n`).join(''),
    'max-lines',
  ],
  [
    'a constructor with 7 parameters',
    gateway,
    `export class Wide {\n  constructor(${'abcdefg'
      .split('')
      .map((name) => `readonly ${name}: number`)
      .join(', ')}) {}\n}\n`,
    'no-restricted-syntax',
  ],
];

/** The same kinds of import where they belong: a rule that rejects everything would prove nothing. */
const accepted = [
  ['the app importing the libs', gateway, use('AppError', '@candor/contracts')],
  ['retrieval importing the views', retrieval, use('a', '@candor/persistence/views')],
  ['retrieval importing the index reader', retrieval, use('a', '@candor/search-index/read')],
  ['the gateway importing the detection of file types', gateway, use('a', '@candor/extraction/detect')],
  ['the worker importing the file readers', worker, use('a', '@candor/extraction')],
  ['the worker importing the index writer', worker, use('a', '@candor/search-index/write')],
  [
    'standalone importing the apps',
    standalone,
    use('a', '@candor/gateway') + use('b', '@candor/synthesis').replaceAll('used', 'other'),
  ],
  ['persistence importing typeorm', 'libs/persistence/src/index.ts', use('DataSource', 'typeorm')],
  ['queue importing bullmq', 'libs/queue/src/index.ts', use('Queue', 'bullmq')],
  ["runtime using Nest's route decorator", 'libs/runtime/src/index.ts', use('Get', '@nestjs/common')],
  ['400 lines', gateway, Array.from({ length: 400 }, (_, i) => `export const line${i} = ${i};\n`).join('')],
];

const ruleOfImports = [boundaries, 'no-restricted-imports', 'max-lines'];

describe('the lint rules', () => {
  let rejections;
  let acceptances;

  beforeAll(() => {
    const input = JSON.stringify([...rejected, ...accepted].map(([, filePath, text]) => ({ filePath, text })));
    // Else, in CI, the types would come from the files on disk and not from these texts.
    const env = { ...process.env, TSESTREE_SINGLE_RUN: 'false' };
    const output = execFileSync(process.execPath, [`${folder}lint-text.mjs`], { input, env, encoding: 'utf8' });
    const results = JSON.parse(output);
    rejections = results.slice(0, rejected.length);
    acceptances = results.slice(rejected.length);
  });

  it.each(rejected.map(([what, , , rule], index) => [what, rule, index]))('reject %s (%s)', (_what, rule, index) => {
    expect(rejections[index].map(({ ruleId }) => ruleId)).toContain(rule);
  });

  it.each(accepted.map(([what], index) => [what, index]))('accept %s', (_what, index) => {
    expect(acceptances[index].filter(({ ruleId }) => ruleOfImports.includes(ruleId))).toEqual([]);
  });
});
