import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** `path` › test name, as the table writes them. */
const NAMED = readFileSync(`${ROOT}docs/reference/seed-coverage.md`, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.includes('›'))
  .flatMap((line) => line.split('|')[2]?.split('<br>') ?? [])
  .map((entry) => {
    const [, path = '', name = ''] = /`([^`]+)` › (.+)/.exec(entry.trim()) ?? [];
    return { path, name: name.trim() };
  });

describe('docs/reference/seed-coverage.md', () => {
  it('names tests that exist', () => {
    expect(NAMED.length).toBeGreaterThan(80);
    const missing = NAMED.filter(({ path, name }) => !readFileSync(`${ROOT}${path}`, 'utf8').includes(name));
    expect(missing).toEqual([]);
  });
});
