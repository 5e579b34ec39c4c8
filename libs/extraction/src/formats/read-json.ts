import { LosslessNumber, parse } from 'lossless-json';
import { AppError } from '@candor/contracts';
import type { FileText } from './file-text.js';
import { charsetWarnings, requireText, statedCharset } from './read-text.js';
import { renderJson } from './render-json.js';
import { TextCollector } from './text-collector.js';

/** Values with the names that lead to them; what is not valid JSON after all stays as it is. */
export function readJson(bytes: Uint8Array, mediaType: string): FileText {
  const decoded = requireText(bytes, { declared: statedCharset(mediaType) });
  const warnings = charsetWarnings(decoded);
  const value = parseJson(decoded.text);
  if (value === INVALID)
    return plain(decoded.text, [...warnings, 'The file is not valid JSON; it was taken as plain text.']);
  const into = new TextCollector();
  renderJson(value, into);
  return plain(into.toString().trimEnd(), warnings);
}

/** One record a line, each a paragraph group of its own; lines that are not JSON stay as they are and are counted. */
export function readNdjson(bytes: Uint8Array, mediaType: string): FileText {
  const decoded = requireText(bytes, { declared: statedCharset(mediaType) });
  const into = new TextCollector();
  let invalid = 0;
  for (const line of decoded.text.split('\n')) {
    if (line.trim() === '') continue;
    const value = parseJson(line);
    if (value === INVALID) {
      invalid += 1;
      into.add(`${line.trim()}\n\n`);
    } else renderJson(value, into);
  }
  const warnings = invalid > 0 ? [`${invalid} lines are not valid JSON; they were taken as plain text.`] : [];
  return plain(into.toString().trimEnd(), [...charsetWarnings(decoded), ...warnings]);
}

const INVALID = Symbol('invalid');

/** Numbers keep their digits, so that nothing is quoted that the file doesn't say. */
function parseJson(text: string): unknown {
  try {
    return parse(text, undefined, (digits) => new LosslessNumber(digits));
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep(error);
    return INVALID;
  }
}

function tooDeep(cause: unknown): AppError {
  return new AppError('EXTRACT.UNREADABLE', { message: 'The file is nested too deeply.', cause });
}

function plain(body: string, warnings: string[]): FileText {
  return { title: null, authorName: null, body, mimeType: 'text/plain', warnings };
}
