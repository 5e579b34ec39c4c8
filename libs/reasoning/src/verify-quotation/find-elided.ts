import { findWhole, type Place } from './find-whole.js';
import type { MappedText } from './mapped-text.js';

const ELLIPSIS = /\s*(?:\[\s*\.{3}\s*\]|\(\s*\.{3}\s*\)|\.{3,})\s*/;
/** A shorter piece could be from anywhere. */
const SHORTEST_PIECE = 8;
/** Most that an ellipsis stands for; farther apart the pieces are two quotations. */
const LONGEST_GAP = 500;
/** Nobody leaves out more; each is looked for from each place of the first. */
const MOST_PIECES = 10;
const MOST_STARTS = 1_000;

/** The pieces of a folded quotation with ellipses, in their order and near each other: the place from the first to the last. */
export function findElided(source: MappedText, wanted: string): Place | null {
  const pieces = wanted
    .split(ELLIPSIS)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '');
  const [first, ...others] = pieces;
  if (first === undefined || others.length === 0 || pieces.length > MOST_PIECES) return null;
  if (pieces.some((piece) => piece.length < SHORTEST_PIECE)) return null;
  let starts = 0;
  for (let start = findWhole(source, first); start; start = findWhole(source, first, start.at + 1)) {
    starts += 1;
    if (starts > MOST_STARTS) return null;
    const end = follow(source, start.at + start.length, others);
    if (end !== null) return { at: start.at, length: end - start.at };
  }
  return null;
}

function follow(source: MappedText, from: number, pieces: readonly string[]): number | null {
  let end = from;
  for (const piece of pieces) {
    const place = findWhole(source, piece, end, end + LONGEST_GAP);
    if (!place) return null;
    end = place.at + place.length;
  }
  return end;
}
