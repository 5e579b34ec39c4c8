import type { Paint } from './with-client.js';

/** Rows in columns as wide as their widest cell; the last one is as long as it is. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A headed table; a sentence when there are no rows. */
export function list(
  paint: Paint,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  none: string,
): string {
  if (rows.length === 0) return none;
  const [first = '', ...others] = table([head, ...rows]).split('\n');
  return [paint.bold(first), ...others].join('\n');
}

export function indent(text: string, by = '  '): string {
  return text
    .split('\n')
    .map((line) => `${by}${line}`.trimEnd())
    .join('\n');
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
