import { tokenizeWords } from '../relevance/tokenize-words.js';
import type { StatedValue } from './claim.js';

const CURRENCIES: Record<string, string> = {
  $: 'USD',
  '€': 'EUR',
  '£': 'GBP',
  usd: 'USD',
  eur: 'EUR',
  gbp: 'GBP',
  dollar: 'USD',
  dollars: 'USD',
  euro: 'EUR',
  euros: 'EUR',
  pound: 'GBP',
  pounds: 'GBP',
};
/** Units of time that convert without a calendar. */
const SECONDS: Record<string, number> = {
  second: 1,
  sec: 1,
  minute: 60,
  min: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
};
const MONTHS: Record<string, number> = { month: 1, quarter: 3, year: 12 };
const SCALES: Record<string, number> = { thousand: 1e3, k: 1e3, million: 1e6, m: 1e6, billion: 1e9, bn: 1e9 };
const NUMBER_WORDS: Record<string, number> = {
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  ninety: 90,
};
const NUMBER = String.raw`\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|${Object.keys(NUMBER_WORDS).join('|')}`;
const QUANTITY = new RegExp(
  String.raw`(?<currency>[$€£])?(?<![\p{L}\p{N}.,#/-])(?<number>${NUMBER})(?![\p{N}]|[.,:/-]\d)` +
    String.raw`(?:\s?(?<scale>thousand|million|billion|bn|k|m)\b)?(?:(?<percent>\s?%|\s?percent\b)|[\s-](?<unit>\p{L}{2,20}))?`,
  'giu',
);
/** Words after a number that are no unit. */
const NO_UNIT = /^(?:of|and|or|to|in|on|at|by|for|is|are|was|were|per|the|from|with|as|than|other|more|times|am|pm)$/i;

/** Numbers with their unit; a number alone says too little to be compared. */
export function readQuantities(clause: string): StatedValue[] {
  const found: StatedValue[] = [];
  for (const match of clause.matchAll(QUANTITY)) {
    const { number = '', currency, percent, unit } = match.groups ?? {};
    const scale = SCALES[match.groups?.['scale']?.toLowerCase() ?? ''] ?? 1;
    const amount = (NUMBER_WORDS[number.toLowerCase()] ?? Number(number.replace(/,/g, ''))) * scale;
    const measured = measure(amount, { currency, percent, unit });
    if (measured === null || !Number.isFinite(measured.amount)) continue;
    // With a currency sign the next word is no unit.
    const written = currency === undefined || unit === undefined ? match[0] : match[0].slice(0, -unit.length - 1);
    found.push({
      kind: 'conflicting_value',
      dimension: measured.dimension,
      normalized: String(measured.amount),
      value: written.trim(),
      start: match.index,
      end: match.index + written.length,
    });
  }
  return found;
}

function measure(
  amount: number,
  { currency, percent, unit }: { currency: string | undefined; percent: string | undefined; unit: string | undefined },
): { amount: number; dimension: string } | null {
  if (currency !== undefined) return { amount, dimension: `money:${CURRENCIES[currency]}` };
  if (percent !== undefined) return { amount, dimension: 'percent' };
  if (unit === undefined || NO_UNIT.test(unit)) return null;
  const word = unit.toLowerCase();
  const named = CURRENCIES[word];
  if (named !== undefined) return { amount, dimension: `money:${named}` };
  const singular = word.replace(/s$/, '');
  if (SECONDS[singular] !== undefined) return { amount: amount * SECONDS[singular], dimension: 'seconds' };
  if (MONTHS[singular] !== undefined) return { amount: amount * MONTHS[singular], dimension: 'months' };
  const [stem] = tokenizeWords(unit);
  return stem === undefined ? null : { amount, dimension: `count:${stem}` };
}
