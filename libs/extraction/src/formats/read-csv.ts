import { AppError } from '@candor/contracts';
import { parse } from 'csv-parse/sync';
import type { FileText } from './file-text.js';
import { charsetWarnings, requireText, statedCharset } from './read-text.js';
import { renderRows } from './render-rows.js';
import { TextCollector } from './text-collector.js';

/** In case of a tie the one that is rarer in text. */
const DELIMITERS = ['\t', '|', ';', ','] as const;
const SAMPLE_LENGTH = 32_768;
const SAMPLE_ROWS = 50;

/** Comma, semicolon, tab or bar separated, whatever the file is named. */
export function readCsv(bytes: Uint8Array, mediaType: string): FileText {
  const decoded = requireText(bytes, { declared: statedCharset(mediaType) });
  const into = new TextCollector();
  renderRows(parseRows(decoded.text, detectDelimiter(decoded.text)), into);
  return {
    title: null,
    authorName: null,
    body: into.toString().trimEnd(),
    mimeType: 'text/plain',
    warnings: charsetWarnings(decoded),
  };
}

function parseRows(text: string, delimiter: string, rows?: number): string[][] {
  try {
    return parse(text, {
      delimiter,
      bom: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      ...(rows === undefined ? {} : { to: rows }),
    });
  } catch (cause) {
    throw new AppError('EXTRACT.UNREADABLE', {
      message: 'The table could not be read: a quoted value is not closed.',
      cause,
    });
  }
}

/** The one that parts the first rows into the same number of columns, and into most. */
export function detectDelimiter(text: string): string {
  const end = text.length <= SAMPLE_LENGTH ? text.length : text.lastIndexOf('\n', SAMPLE_LENGTH);
  const sample = text.slice(0, end <= 0 ? SAMPLE_LENGTH : end);
  let best: { delimiter: string; score: number } = { delimiter: ',', score: 0 };
  for (const delimiter of DELIMITERS) {
    const score = scoreDelimiter(sample, delimiter);
    if (score > best.score) best = { delimiter, score };
  }
  return best.delimiter;
}

function scoreDelimiter(sample: string, delimiter: string): number {
  let rows: string[][];
  try {
    rows = parseRows(sample, delimiter, SAMPLE_ROWS);
  } catch {
    // The sample may end within a quoted value; then this separator says nothing.
    return 0;
  }
  const counts = new Map<number, number>();
  for (const { length } of rows) counts.set(length, (counts.get(length) ?? 0) + 1);
  const [columns, frequency] = [...counts].sort((left, right) => right[1] - left[1])[0] ?? [1, 0];
  return columns < 2 ? 0 : (frequency / rows.length) * (1 + Math.log2(columns));
}
