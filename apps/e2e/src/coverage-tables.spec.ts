import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

interface NamedTest {
  path: string;
  name: string;
}

/** `path` › test name, as the last column of the tables writes them. */
function listNamedTests(table: string): NamedTest[] {
  return readFileSync(`${ROOT}${table}`, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && line.includes('›'))
    .flatMap((line) => line.split('|').at(-2)?.split('<br>') ?? [])
    .map((entry) => {
      const [, path = '', name = ''] = /`([^`]+)` › (.+)/.exec(entry.trim()) ?? [];
      return { path, name: name.trim() };
    });
}

/** Where a title stands: a comment that says the same proves nothing. */
function hasTest({ path, name }: NamedTest): boolean {
  const source = readFileSync(`${ROOT}${path}`, 'utf8');
  return source
    .split('\n')
    .some((line) => line.includes(name) && /['"`]/.test(line) && !/^\s*(?:\/\/|\*|\/\*)/.test(line));
}

describe.each([
  ['docs/reference/seed-coverage.md', 80],
  ['docs/reference/pains-coverage.md', 200],
  ['docs/reference/reliability-coverage.md', 35],
  ['docs/reference/retrieval-coverage.md', 130],
  ['docs/reference/filters.md', 50],
  ['docs/security/threat-model.md', 45],
])('%s', (table, least) => {
  it('names tests that exist', () => {
    const named = listNamedTests(table);
    expect(named.length).toBeGreaterThan(least);
    expect(named.filter((test) => !hasTest(test))).toEqual([]);
  });
});
