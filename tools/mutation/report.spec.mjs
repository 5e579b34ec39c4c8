import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { countMutants, identifyVersion, readRows, renderPage, writeTable } from './report.mjs';
import { HELD_BY_FILE, VALIDATORS } from './validators.mjs';

const ROOT = new URL('../../', import.meta.url);
const FILE = 'libs/reasoning/src/trust/judge-hit.ts';
const OTHER = 'libs/reasoning/src/run/reason.ts';
const pageWith = (table) => `# Runs\n\n<!-- results -->\n\n${table}\n\n<!-- end of results -->\n\nMore.\n`;
const row = (version, mutants, killed, timedOut, survived) => ({ version, mutants, killed, timedOut, survived });
const rows = new Map([
  [OTHER, row('0123abcd', 57, 55, 0, 2)],
  [FILE, row('89abcdef', 86, 85, 1, 0)],
]);
const current = new Map([
  [OTHER, 'ffffffff'],
  [FILE, '89abcdef'],
]);

describe('the table', () => {
  it('is read as it was written', () => {
    expect(readRows(pageWith(writeTable(rows, current)))).toEqual(rows);
    expect(readRows(pageWith(writeTable(new Map(), current)))).toEqual(new Map());
  });

  it('says which files have changed since, which were never measured, and the sums', () => {
    const lines = writeTable(rows, current).split('\n');
    expect(lines).toContainEqual(
      `| \`run/reason.ts\` | ${HELD_BY_FILE.get(OTHER)} | \`0123abcd\`, changed since | 57 | 55 | 0 | 2 |`,
    );
    expect(lines).toContainEqual(
      `| \`trust/judge-hit.ts\` | ${HELD_BY_FILE.get(FILE)} | \`89abcdef\` | 86 | 85 | 1 | 0 |`,
    );
    expect(lines).toContainEqual('| together |  |  | 143 | 140 | 1 | 2 |');
    expect(lines.filter((line) => line.startsWith('Not measured'))).toHaveLength(VALIDATORS.length - 2);
  });

  it('takes what reports hold, keeps the other rows and leaves the rest of the page alone', () => {
    const mutants = [...['Killed', 'Killed', 'Timeout', 'NoCoverage', 'Ignored'].map((status) => ({ status }))];
    const files = { [FILE]: { source: 'const a = 1;\n', mutants }, 'libs/x.ts': { source: '', mutants } };
    // `$&` means something to a replacement.
    const page = pageWith(writeTable(rows, current)).replace('More.', 'More: $& and $1.');
    const written = renderPage(page, [{ files }, { files: { [OTHER]: { source: 'x', mutants: [] } } }], current);
    const measured = row(identifyVersion('const a = 1;\n'), 4, 2, 1, 1);
    expect(readRows(written)).toEqual(new Map([...rows, [FILE, measured]]));
    expect(written.replace(/<!-- results -->[\s\S]*<!-- end/, '')).toBe(
      page.replace(/<!-- results -->[\s\S]*<!-- end/, ''),
    );
  });

  it.each([
    ['without marks', '# Runs\n'],
    ['with one mark', '# Runs\n<!-- results -->\n'],
  ])('is looked for in vain on a page %s', (_what, page) => {
    expect(() => readRows(page)).toThrow('no table');
    expect(() => renderPage(page, [], current)).toThrow('no table');
  });

  it('is refused with a row of another form, which would be lost', () => {
    const page = pageWith(`${writeTable(rows, current)}\n| \`run/x.ts\` | holds | 3 | 3 | 0 | 0 |`);
    expect(() => readRows(page)).toThrow('1 rows');
  });
});

describe('a file', () => {
  it('has the version that git gives it', () => {
    const path = fileURLToPath(new URL(FILE, ROOT));
    const hash = execFileSync('git', ['hash-object', path], { encoding: 'utf8' });
    expect(identifyVersion(readFileSync(path))).toBe(hash.slice(0, 8));
    expect(identifyVersion('ü\n')).toBe(identifyVersion(Buffer.from('ü\n')));
  });

  it('counts what has no test as survived, and what was left out not at all', () => {
    const mutants = ['Killed', 'Survived', 'NoCoverage', 'Timeout', 'Ignored', 'CompileError'];
    const counted = countMutants({ source: '', mutants: mutants.map((status) => ({ status })) });
    expect(counted).toEqual(row('e69de29b', 4, 1, 1, 2));
  });
});

// `node tools/mutation/report.mjs` mends it.
it('docs/reference/mutation.md says of each file whether it has changed since it was measured', () => {
  const page = readFileSync(new URL('docs/reference/mutation.md', ROOT), 'utf8');
  const versions = new Map(VALIDATORS.map((file) => [file, identifyVersion(readFileSync(new URL(file, ROOT)))]));
  const written = [...page.matchAll(/^\| `([^`]+)`[^|]*\|[^|]*\|([^|]*)\|/gm)];
  expect(written.map(([, file]) => `libs/reasoning/src/${file}`)).toEqual([...readRows(page).keys()]);
  for (const [file, { version }] of readRows(page)) {
    const said = written.find(([, name]) => file.endsWith(`/${name}`))?.[2];
    expect([file, said.includes('changed since')]).toEqual([file, version !== versions.get(file)]);
  }
});
