import { existsSync, readdirSync } from 'node:fs';
import nxPlugin from '@nx/eslint-plugin';
import { defineConfig } from 'eslint/config';
import { createNodeResolver, importX } from 'eslint-plugin-import-x';
import jsxA11y from 'eslint-plugin-jsx-a11y-x';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';
import { depConstraints, restrictedImports } from './tools/lint-rules/dependency-rules.mjs';
import { refreshProjectGraph } from './tools/lint-rules/refresh-project-graph.mjs';

const root = import.meta.dirname;
await refreshProjectGraph(root);

const typescript = ['**/*.ts', '**/*.tsx'];
const testFiles = ['*.spec.ts', 'conformance/**/*.ts', 'testing/**/*.ts'];
const tests = [...testFiles.map((pattern) => `**/${pattern}`), 'libs/testkit/**/*.ts', 'apps/e2e/**/*.ts'];
/** Programs whose output is for a person. */
const programs = [...tests, 'tools/**', 'deploy/**', 'apps/{cli,standalone}/**', '**/bench/**'];

const workspaces = ['apps', 'libs', 'tools'].flatMap((group) =>
  readdirSync(`${root}/${group}`)
    .map((name) => `${group}/${name}`)
    .filter((folder) => existsSync(`${root}/${folder}/package.json`)),
);

const restrictedSyntax = [
  {
    selector: 'MethodDefinition[kind="constructor"][value.params.length>6]',
    message: 'A constructor takes at most 6 parameters: split the class.',
  },
  {
    // `items[i]!` stays allowed: with noUncheckedIndexedAccess it is how a checked bound is said.
    selector: 'TSNonNullExpression:not([expression.computed=true])',
    message: 'Narrow the type instead of asserting it.',
  },
];

const boundaries = (options) => [
  'error',
  { allow: [], checkDynamicDependenciesExceptions: ['.*'], depConstraints: depConstraints(options) },
];

export default defineConfig(
  {
    ignores: ['**/dist/**', '**/out-tsc/**', '**/coverage/**', '.nx/**', '.candor/**', 'tools/lint-proof/fixtures/**'],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    plugins: { 'import-x': importX },
    settings: {
      'import-x/resolver-next': [
        createNodeResolver({
          extensions: ['.ts', '.tsx', '.mjs', '.js'],
          extensionAlias: { '.js': ['.ts', '.tsx', '.js'] },
        }),
      ],
      'import-x/extensions': ['.ts', '.tsx', '.mjs', '.js'],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts', '.tsx'] },
    },
    rules: {
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'no-console': 'error',
      'no-restricted-syntax': ['error', ...restrictedSyntax],
      eqeqeq: 'error',
    },
  },
  {
    files: typescript,
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        // The console is for browsers: its files have a configuration of their own.
        project: ['./tsconfig.lint.json', './apps/console/tsconfig.lib.json'],
        tsconfigRootDir: root,
      },
    },
    plugins: { '@nx': nxPlugin },
    rules: {
      '@nx/enforce-module-boundaries': boundaries({ test: false }),
      'import-x/no-cycle': 'error',
      'import-x/no-default-export': 'error',
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: "Read configuration in the app's config.ts and pass it on." },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      // A port's method is async by its type, whether or not this adapter awaits.
      '@typescript-eslint/require-await': 'off',
      // `return next()` is an idiom; TypeORM and Nest take plain objects where they name a class.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-unnecessary-type-arguments': 'off',
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      // `async (signal) => void (await ask(signal))` drops a result on purpose.
      '@typescript-eslint/no-meaningless-void-operator': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
    },
  },
  ...workspaces.flatMap((folder) => [
    {
      files: [`${folder}/**/*.{ts,tsx}`],
      rules: { 'no-restricted-imports': ['error', restrictedImports(folder, { test: false })] },
    },
    {
      files: testFiles.map((pattern) => `${folder}/**/${pattern}`),
      rules: { 'no-restricted-imports': ['error', restrictedImports(folder, { test: true })] },
    },
  ]),
  {
    files: ['apps/console/**/*.{ts,tsx}'],
    extends: [reactHooks.configs.flat.recommended, jsxA11y.configs.strict],
  },
  {
    files: tests,
    rules: {
      '@nx/enforce-module-boundaries': boundaries({ test: true }),
      // An undefined there fails the test anyhow.
      'no-restricted-syntax': 'off',
      // Handlers, modules and entities that exist only to be declared or copied.
      '@typescript-eslint/no-unused-vars': ['error', { args: 'none', ignoreRestSiblings: true }],
      '@typescript-eslint/no-extraneous-class': 'off',
      '@typescript-eslint/no-misused-spread': 'off',
      // Jest's asymmetric matchers are `any`.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unnecessary-condition': 'off',
    },
  },
  {
    files: [...tests, 'libs/runtime/**/*.ts', 'tools/**/*.ts', 'apps/*/src/{main,config,distributed}.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  { files: programs, rules: { 'no-console': 'off' } },
);
