import { AppError } from '@candor/contracts';

/** What a file says, as if somebody had pushed it. */
export interface FileText {
  /** The file's own; null when it names none. */
  title: string | null;
  authorName: string | null;
  body: string;
  mimeType: 'text/plain' | 'text/markdown' | 'text/html';
  /** What was left out or guessed, one sentence each, for people. */
  warnings: string[];
}

/** As long as a pushed body may be, UTF-16 units. */
export const MAX_BODY_LENGTH = 10_000_000;
const MAX_TITLE_LENGTH = 1_000;
const MAX_AUTHOR_LENGTH = 500;
const MAX_WARNINGS = 50;
const MAX_WARNING_LENGTH = 500;
const VISIBLE = /[^\s\p{Cc}\p{Cf}]/u;

/**
 * Makes what a reader found storable: no NUL, no half characters, title and author of one line and bounded.
 *
 * @throws AppError EXTRACT.EMPTY without a visible character, EXTRACT.TOO_LARGE beyond 10,000,000 characters.
 */
export function finishFileText(found: FileText): FileText {
  if (found.body.length > MAX_BODY_LENGTH) throw tooMuchText();
  const body = toStorable(found.body);
  if (!VISIBLE.test(body)) throw new AppError('EXTRACT.EMPTY', { message: 'The file has no text.' });
  return {
    title: toLine(found.title, MAX_TITLE_LENGTH),
    authorName: toLine(found.authorName, MAX_AUTHOR_LENGTH),
    body,
    mimeType: found.mimeType,
    warnings: boundWarnings(found.warnings),
  };
}

export function tooMuchText(): AppError {
  return new AppError('EXTRACT.TOO_LARGE', { message: 'The file has more than 10,000,000 characters of text.' });
}

function boundWarnings(warnings: readonly string[]): string[] {
  const kept = [...new Set(warnings.map((warning) => toStorable(warning).slice(0, MAX_WARNING_LENGTH)))];
  if (kept.length <= MAX_WARNINGS) return kept;
  return [...kept.slice(0, MAX_WARNINGS - 1), `and ${kept.length - MAX_WARNINGS + 1} more`];
}

function toLine(value: string | null, limit: number): string | null {
  const line = toStorable(value ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  if (!VISIBLE.test(line)) return null;
  return line.length <= limit ? line : toStorable(line.slice(0, limit));
}

/** A cut between the halves of a character leaves one that no database takes. */
function toStorable(text: string): string {
  const wellFormed = (text as string & { toWellFormed(): string }).toWellFormed();
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '') : wellFormed;
}
