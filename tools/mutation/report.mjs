// node tools/mutation/report.mjs [REPORT…]: writes what runs of Stryker found (default: the last one) into
// docs/reference/mutation.md. A file that no report holds keeps its row.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { HELD_BY_FILE } from './validators.mjs';

const PAGE = fileURLToPath(new URL('../../docs/reference/mutation.md', import.meta.url));
const LAST_REPORT = fileURLToPath(new URL('../../.candor/mutation-report.json', import.meta.url));
const TABLE = /(?<=<!-- results -->\n)[\s\S]*(?=<!-- end of results -->)/;
const PREFIX = 'libs/reasoning/src/';

/** Mutants of a file by what became of them; the ones that were left out, or don't compile, aren't counted. */
export function countMutants({ mutants }) {
  const count = (...states) => mutants.filter(({ status }) => states.includes(status)).length;
  const [killed, timedOut, survived] = [count('Killed'), count('Timeout'), count('Survived', 'NoCoverage')];
  return { mutants: killed + timedOut + survived, killed, timedOut, survived };
}

/** Rows by path from the root, as the page has them. */
export function readRows(page) {
  const rows = [...(TABLE.exec(page)?.[0] ?? '').matchAll(/^\| `([^`]+)`[^|]*\|[^|]*\|([^\n]*)\|$/gm)];
  return new Map(
    rows.map(([, file, numbers]) => {
      const [mutants, killed, timedOut, survived] = numbers.split('|').map(Number);
      return [`${PREFIX}${file}`, { mutants, killed, timedOut, survived }];
    }),
  );
}

export function writeTable(rows) {
  const measured = [...HELD_BY_FILE].filter(([file]) => rows.has(file));
  const missing = [...HELD_BY_FILE.keys()].filter((file) => !rows.has(file));
  const sum = (field) => measured.reduce((total, [file]) => total + rows.get(file)[field], 0);
  const line = (name, holds, { mutants, killed, timedOut, survived }) =>
    `| ${name} | ${holds} | ${mutants} | ${killed} | ${timedOut} | ${survived} |`;
  return [
    '| file | holds | mutants | killed by a test | by its time | survived |',
    '| --- | --- | --- | --- | --- | --- |',
    ...measured.map(([file, holds]) => line(`\`${file.slice(PREFIX.length)}\``, holds, rows.get(file))),
    line('together', '', {
      mutants: sum('mutants'),
      killed: sum('killed'),
      timedOut: sum('timedOut'),
      survived: sum('survived'),
    }),
    ...missing.map((file) => `\nNot measured: \`${file}\`.`),
  ].join('\n');
}

export async function updatePage(reports) {
  const page = await readFile(PAGE, 'utf8');
  const rows = readRows(page);
  for (const report of reports)
    for (const [file, measured] of Object.entries(report.files))
      if (HELD_BY_FILE.has(file) && measured.mutants.length > 0) rows.set(file, countMutants(measured));
  const written = page.replace(TABLE, `\n${writeTable(rows)}\n\n`);
  await writeFile(PAGE, await format(written, { ...(await resolveConfig(PAGE)), filepath: PAGE }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const paths = process.argv.length > 2 ? process.argv.slice(2) : [LAST_REPORT];
  await updatePage(await Promise.all(paths.map(async (path) => JSON.parse(await readFile(path, 'utf8')))));
}
