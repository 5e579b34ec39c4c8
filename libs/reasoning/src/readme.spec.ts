import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { VERDICTS, REFUSAL_REASONS, POLICY_NAMES, TRUST_FAILURE_CODES, type ReasoningResponse } from './index.js';
import * as library from './index.js';

const readme = await readFile(fileURLToPath(new URL('../README.md', import.meta.url)), 'utf8');

describe('README', () => {
  it('has an example of an import and ten lines that runs as it stands', async () => {
    const [, example = ''] = /```ts\n([\s\S]+?)```/.exec(readme) ?? [];
    expect(example.split('\n').filter((line) => line.trim() !== '').length).toBe(11);
    const folder = await mkdtemp(join(tmpdir(), 'readme-'));
    try {
      const file = join(folder, 'example.ts');
      await writeFile(file, `${example.replace(/^console\.log.*$/m, '')}\nexport { response };\n`);
      const { response } = (await import(file)) as { response: ReasoningResponse };
      expect(response).toMatchObject({
        outcome: 'answered',
        answer: 'Database backups are kept for 35 days.',
        citations: [{ chunkId: 'c1' }],
        trustState: { state: 'degraded', failureCode: 'CALIBRATION_MISSING' },
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it.each([...POLICY_NAMES, ...REFUSAL_REASONS, ...VERDICTS, ...TRUST_FAILURE_CODES])('explains `%s`', (name) => {
    expect(readme).toMatch(new RegExp(`^\\| \`${name}\` +\\|`, 'm'));
  });

  it('names only what the library exports', () => {
    const [, section = ''] = /## The parts\n([\s\S]+?)\n## /.exec(readme) ?? [];
    const named = [...section.matchAll(/`([a-z][A-Za-z]+)`/g)].map(([, name]) => name ?? '');
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((name) => !(name in library))).toEqual([]);
  });
});

describe('exports', () => {
  it('are sorted by module, and named one by one', async () => {
    const index = await readFile(fileURLToPath(new URL('./index.ts', import.meta.url)), 'utf8');
    const modules = [...index.matchAll(/from '([^']+)'/g)].map(([, path]) => path ?? '');
    expect(modules.length).toBeGreaterThan(40);
    expect(modules).toEqual([...modules].sort());
    expect(index).not.toContain('*');
  });
});
