import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { SYSTEM_PURPOSES } from './system-purposes.js';

const ROOT = join(import.meta.dirname, '../../../..');
const DOCUMENT = join(ROOT, 'docs/security/cross-tenant-access.md');

function* sourceFiles(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (['node_modules', 'dist', 'testing'].includes(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sourceFiles(path);
    else if (/\.ts$/.test(entry.name) && !/\.(spec|suite|d)\.ts$/.test(entry.name)) yield path;
  }
}

function usesOf(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '');
  return [...code.matchAll(/\.system\(\s*([^)]*)\)/g)].map(([, argument = '']) => argument.trim());
}

describe('looking across tenants', () => {
  const found = [join(ROOT, 'apps'), join(ROOT, 'libs')].flatMap((folder) =>
    [...sourceFiles(folder)]
      .filter((path) => !relative(ROOT, path).startsWith('libs/persistence/src/scope/'))
      .flatMap((path) => usesOf(readFileSync(path, 'utf8')).map((use) => `${use} ${relative(ROOT, path)}`)),
  );

  it('names its purpose in so many words', () => {
    const purposes = Object.keys(SYSTEM_PURPOSES).map((purpose) => `'${purpose}'`);
    expect(found.map((use) => use.split(' ')[0]).filter((use) => !purposes.includes(use ?? ''))).toEqual([]);
  });

  it('is listed where operators and auditors look, each use', () => {
    const rows = [...readFileSync(DOCUMENT, 'utf8').matchAll(/^\| `([a-z-]+)` +\| `([^`]+)` +\|/gm)];
    const listed = rows.map(([, purpose, path]) => `'${purpose}' ${path}`);
    expect([...new Set(found)].sort()).toEqual(listed.sort());
  });

  it('has no purpose that nobody has', () => {
    const used = new Set(found.map((use) => use.split(' ')[0]));
    expect(Object.keys(SYSTEM_PURPOSES).filter((purpose) => !used.has(`'${purpose}'`))).toEqual([]);
  });
});
