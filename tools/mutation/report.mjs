// node tools/mutation/report.mjs [REPORT…]: writes what runs of Stryker found (default: the last one, if there is one) into
// docs/reference/mutation.md, and which files have changed since. A file that no report holds keeps its row.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { HELD_BY_FILE } from './validators.mjs';

const ROOT = new URL('../../', import.meta.url);
const PAGE = fileURLToPath(new URL('docs/reference/mutation.md', ROOT));
const LAST_REPORT = fileURLToPath(new URL('.candor/mutation-report.json', ROOT));
const TABLE = /(?<=<!-- results -->\n)[\s\S]*(?=<!-- end of results -->)/;
const ROW = /^\| `([^`]+)`[^|]*\|[^|]*\| `([0-9a-f]{8})`[^|]*\|([^\n]*)\|$/gm;
const PREFIX = 'libs/reasoning/src/';
const CHANGED = ', changed since';

/** As git names a file's content: `git cat-file -p VERSION` shows what was measured. */
export function identifyVersion(text) {
  const content = Buffer.from(text);
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex').slice(0, 8);
}

/** Mutants of a file by what became of them; the ones that were left out, or don't compile, aren't counted. */
export function countMutants({ mutants, source }) {
  const count = (...states) => mutants.filter(({ status }) => states.includes(status)).length;
  const [killed, timedOut, survived] = [count('Killed'), count('Timeout'), count('Survived', 'NoCoverage')];
  return { version: identifyVersion(source), mutants: killed + timedOut + survived, killed, timedOut, survived };
}

/** Rows by path from the root, as the page has them. */
export function readRows(page) {
  const table = findTable(page);
  const rows = [...table.matchAll(ROW)].map(([, file, version, numbers]) => {
    const [mutants, killed, timedOut, survived] = numbers.split('|').map(Number);
    return [`${PREFIX}${file}`, { version, mutants, killed, timedOut, survived }];
  });
  // A row of another form would be dropped, and with it what was measured.
  const held = [...table.matchAll(/^\| `/gm)].length;
  if (rows.length !== held) throw new Error(`${held - rows.length} rows of the page's table can't be read.`);
  return new Map(rows);
}

/** @param current version by path: what each file is now */
export function writeTable(rows, current) {
  const measured = [...HELD_BY_FILE].filter(([file]) => rows.has(file));
  const missing = [...HELD_BY_FILE.keys()].filter((file) => !rows.has(file));
  const sum = (field) => measured.reduce((total, [file]) => total + rows.get(file)[field], 0);
  const line = (name, holds, version, { mutants, killed, timedOut, survived }) =>
    `| ${name} | ${holds} | ${version} | ${mutants} | ${killed} | ${timedOut} | ${survived} |`;
  const describeVersion = (file) => {
    const { version } = rows.get(file);
    return `\`${version}\`${version === current.get(file) ? '' : CHANGED}`;
  };
  const together = {
    mutants: sum('mutants'),
    killed: sum('killed'),
    timedOut: sum('timedOut'),
    survived: sum('survived'),
  };
  return [
    '| file | holds | version | mutants | killed by a test | by its time | survived |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...measured.map(([file, holds]) =>
      line(`\`${file.slice(PREFIX.length)}\``, holds, describeVersion(file), rows.get(file)),
    ),
    line('together', '', '', together),
    ...missing.map((file) => `\nNot measured: \`${file}\`.`),
  ].join('\n');
}

/** The page with what reports hold in its table. */
export function renderPage(page, reports, current) {
  const rows = readRows(page);
  for (const report of reports)
    for (const [file, measured] of Object.entries(report.files))
      if (HELD_BY_FILE.has(file) && measured.mutants.length > 0) rows.set(file, countMutants(measured));
  return page.replace(TABLE, () => `\n${writeTable(rows, current)}\n\n`);
}

function findTable(page) {
  const [table] = TABLE.exec(page) ?? [];
  if (table === undefined) throw new Error('The page has no table between its marks for results.');
  return table;
}

async function updatePage(reports) {
  const files = await Promise.all(
    [...HELD_BY_FILE.keys()].map(async (file) => [file, identifyVersion(await readFile(new URL(file, ROOT)))]),
  );
  const written = renderPage(await readFile(PAGE, 'utf8'), reports, new Map(files));
  await writeFile(PAGE, await format(written, { ...(await resolveConfig(PAGE)), filepath: PAGE }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const last = existsSync(LAST_REPORT) ? [LAST_REPORT] : [];
  const paths = process.argv.length > 2 ? process.argv.slice(2) : last;
  await updatePage(await Promise.all(paths.map(async (path) => JSON.parse(await readFile(path, 'utf8')))));
}
