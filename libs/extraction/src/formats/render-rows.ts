import type { TextCollector } from './text-collector.js';

export type Cell = string | number | boolean | Date | null;

/**
 * Rows as paragraphs of `name: value` pairs, so that a passage of any row says what its values are. The first row
 * whose cells can be names is the header; a title above it stays as it is; without one, values stand alone.
 */
export function renderRows(rows: Iterable<readonly Cell[]>, into: TextCollector): void {
  let header: string[] | null = null;
  let seen = 0;
  for (const row of rows) {
    const cells = row.map(renderCell);
    const filled = cells.filter((cell) => cell !== '').length;
    if (filled === 0) continue;
    seen += 1;
    if (header === null && seen <= HEADER_SEARCH_ROWS && isHeader(row, cells, filled)) {
      header = cells;
      into.add(`${cells.filter((cell) => cell !== '').join(' | ')}\n\n`);
      continue;
    }
    into.add(`${renderRow(cells, filled, header)}\n\n`);
  }
}

/** A table begins near the top or has no header of its own. */
const HEADER_SEARCH_ROWS = 12;

/** Two names or more (one in a list of a single column is a value as well), all text, each once. */
function isHeader(row: readonly Cell[], cells: readonly string[], filled: number): boolean {
  if (filled < 2 || filled * 2 < cells.length) return false;
  if (row.some((cell, index) => typeof cell !== 'string' && cells[index] !== '')) return false;
  const names = cells.filter((cell) => cell !== '');
  return new Set(names).size === names.length && names.every((name) => name.length <= 200 && !isNumeric(name));
}

function renderRow(cells: readonly string[], filled: number, header: readonly string[] | null): string {
  // A lone value beside a header is a title or a note of its own.
  if (header === null || (filled === 1 && header.length > 1)) return cells.filter((cell) => cell !== '').join(' | ');
  return cells
    .map((cell, index) => {
      if (cell === '') return '';
      const name = header[index] ?? '';
      return name === '' ? cell : `${name}: ${cell}`;
    })
    .filter((part) => part !== '')
    .join(' | ');
}

function renderCell(cell: Cell): string {
  if (cell === null) return '';
  if (cell instanceof Date) return renderDate(cell);
  return String(cell).replace(/\s+/g, ' ').trim();
}

function renderDate(date: Date): string {
  if (Number.isNaN(date.getTime())) return '';
  const iso = date.toISOString();
  return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : iso.slice(0, 19).replace('T', ' ');
}

function isNumeric(text: string): boolean {
  return /^[-+(]?[\p{Sc}]?[\d.,\s]+[%)]?$/u.test(text);
}
