import { trimRange, type TextRange } from '../extracting/trim-range.js';
import type { SourceBlock } from './cover-text.js';
import { findLines, findSentences } from './find-sentences.js';

export type CountTokens = (text: string) => number;

/** An indivisible part of a chunk. */
export interface Piece extends TextRange {
  tokens: number;
}

/** Neighbours shorter than this are counted as one, so that the number of counts stays far below the length. */
const TINY_LENGTH = 80;
/** Parts with more white space between them never share a chunk. */
export const MAX_GAP = 200;
/** Text this much longer than the limit can't fit, and isn't counted to find out. */
const CHARACTERS_PER_TOKEN_BOUND = 16;
const CHARACTERS_PER_TOKEN_OF_A_WINDOW = 2;
const MIN_WINDOW_LENGTH = 16;
const GRAPHEME_MAX_LENGTH = 64;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Whole units where they fit the limit; else their lines (lists, code, tables) or sentences; else windows that end
 * between words, or at least between graphemes.
 */
export function splitUnits(
  text: string,
  units: readonly SourceBlock[],
  limit: number,
  countTokens: CountTokens,
): Piece[] {
  const pieces: Piece[] = [];
  const fits = (range: TextRange): boolean => {
    const piece = measure(text, range, limit, countTokens);
    if (piece) pieces.push(piece);
    return piece !== null;
  };
  for (const unit of joinTiny(units)) {
    if (fits(unit)) continue;
    const isProse = unit.kind === 'paragraph' || unit.kind === 'heading';
    for (const line of isProse ? [unit] : joinTiny(findLines(text, unit))) {
      if (!isProse && fits(line)) continue;
      for (const sentence of joinTiny(findSentences(text, line))) {
        if (!fits(sentence)) for (const window of findWindows(text, sentence, limit, countTokens)) pieces.push(window);
      }
    }
  }
  return pieces;
}

function measure(text: string, range: TextRange, limit: number, countTokens: CountTokens): Piece | null {
  if (range.end - range.start > limit * CHARACTERS_PER_TOKEN_BOUND) return null;
  const tokens = countTokens(text.slice(range.start, range.end));
  return tokens <= limit ? { start: range.start, end: range.end, tokens } : null;
}

function joinTiny<Range extends TextRange>(ranges: readonly Range[]): Range[] {
  const joined: Range[] = [];
  for (const range of ranges) {
    const last = joined.at(-1);
    const isJoined =
      last &&
      last.end - last.start < TINY_LENGTH &&
      range.end - range.start < TINY_LENGTH &&
      range.start - last.end < TINY_LENGTH;
    if (isJoined) last.end = range.end;
    else joined.push({ ...range });
  }
  return joined;
}

function findWindows(text: string, range: TextRange, limit: number, countTokens: CountTokens): Piece[] {
  const pieces: Piece[] = [];
  const length = Math.max(MIN_WINDOW_LENGTH, limit * CHARACTERS_PER_TOKEN_OF_A_WINDOW);
  for (let start = range.start; start < range.end;) {
    const end = findCut(text, start, Math.min(start + length, range.end), range.end);
    const window = trimRange(text, start, end);
    if (window) pushWindow(window);
    start = end;
  }
  return pieces;

  function pushWindow(window: TextRange): void {
    const tokens = countTokens(text.slice(window.start, window.end));
    const middle = window.start + Math.ceil((window.end - window.start) / 2);
    const cut = findCut(text, window.start, middle, window.end);
    if (tokens <= limit || window.end - window.start <= MIN_WINDOW_LENGTH || cut >= window.end) {
      pieces.push({ ...window, tokens });
      return;
    }
    for (const [start, end] of [[window.start, cut] as const, [cut, window.end] as const]) {
      const half = trimRange(text, start, end);
      if (half) pushWindow(half);
    }
  }
}

/** A place to cut at or a little before `wanted`: after white space, else between graphemes, never inside a surrogate pair. */
function findCut(text: string, start: number, wanted: number, end: number): number {
  if (wanted >= end) return end;
  for (let cut = wanted; cut > start + (wanted - start) / 2; cut--) {
    if (/\s/.test(text[cut - 1]!)) return cut;
  }
  const around = Math.max(start, wanted - GRAPHEME_MAX_LENGTH);
  const near = text.slice(around, wanted + GRAPHEME_MAX_LENGTH);
  const boundary = around + (graphemes.segment(near).containing(wanted - around)?.index ?? 0);
  if (boundary > around) return boundary;
  return isInsidePair(text, wanted) ? wanted + 1 : wanted;
}

function isInsidePair(text: string, index: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(index - 1, index + 1));
}
