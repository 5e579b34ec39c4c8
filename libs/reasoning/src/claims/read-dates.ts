import type { StatedValue } from './claim.js';

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
const MONTH = `(?<month>sept|${MONTHS.map((name) => `${name}|${name.slice(0, 3)}`).join('|')})\\b\\.?`;
const PATTERNS = [
  /\b(?<year>\d{4})-(?<number>\d{2})-(?<day>\d{2})\b/gi,
  new RegExp(`\\b(?<day>\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH}(?:,? (?<year>\\d{4}))?\\b`, 'gi'),
  new RegExp(`\\b${MONTH} (?<day>\\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>\\d{4}))?\\b(?!\\d)`, 'gi'),
  new RegExp(`\\b${MONTH} (?<year>\\d{4})\\b`, 'gi'),
];

/** Dates as `YYYY-MM-DD`, with `????` or `??` for a part that isn't said. */
export function readDates(clause: string): StatedValue[] {
  const found: StatedValue[] = [];
  for (const pattern of PATTERNS) {
    for (const match of clause.matchAll(pattern)) {
      const start = match.index;
      const end = start + match[0].length;
      if (found.some((other) => start < other.end && other.start < end)) continue;
      const { year = '????', number, month = '', day } = match.groups ?? {};
      const monthNumber = number === undefined ? findMonth(month) : Number(number);
      const normalized = `${year}-${pad(monthNumber)}-${day === undefined ? '??' : pad(Number(day))}`;
      found.push({ kind: 'conflicting_date', dimension: 'date', normalized, value: match[0], start, end });
    }
  }
  return found;
}

/** Two dates that can't be the same day; what one leaves open agrees with anything. */
export function datesDiffer(left: string, right: string): boolean {
  const rightParts = right.split('-');
  return left.split('-').some((part, index) => {
    const other = rightParts[index] ?? '??';
    return !part.startsWith('?') && !other.startsWith('?') && part !== other;
  });
}

function findMonth(name: string): number {
  return MONTHS.findIndex((month) => month.startsWith(name.toLowerCase().slice(0, 3))) + 1;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
