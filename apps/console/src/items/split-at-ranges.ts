export interface TextRange {
  /** UTF-16 offsets, the end exclusive. */
  start: number;
  end: number;
}

export interface TextPart {
  text: string;
  marked: boolean;
}

/**
 * Cuts a text into marked and unmarked parts that add up to it. Ranges may overlap, touch or reach out of the text. One that
 * begins or ends inside of a surrogate pair is widened by half a pair: half a character can't be shown.
 */
export function splitAtRanges(text: string, ranges: readonly TextRange[]): TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const { start, end } of mergeRanges(text, ranges)) {
    if (start > from) parts.push({ text: text.slice(from, start), marked: false });
    parts.push({ text: text.slice(start, end), marked: true });
    from = end;
  }
  if (from < text.length) parts.push({ text: text.slice(from), marked: false });
  return parts;
}

function mergeRanges(text: string, ranges: readonly TextRange[]): TextRange[] {
  const clamp = (offset: number): number => Math.min(text.length, Math.max(0, offset));
  const sorted = ranges
    .map(({ start, end }) => ({ start: clamp(start), end: clamp(end) }))
    .filter(({ start, end }) => end > start)
    .map(({ start, end }) => ({
      start: isInsideOfPair(text, start) ? start - 1 : start,
      end: isInsideOfPair(text, end) ? end + 1 : end,
    }))
    .sort((a, b) => a.start - b.start);
  const merged: TextRange[] = [];
  for (const range of sorted) {
    const last = merged.at(-1);
    if (last && range.start <= last.end) last.end = Math.max(last.end, range.end);
    else merged.push({ ...range });
  }
  return merged;
}

/** Whether the offset stands between the two halves of one character. */
function isInsideOfPair(text: string, offset: number): boolean {
  return isBetween(text.charCodeAt(offset - 1), 0xd800, 0xdbff) && isBetween(text.charCodeAt(offset), 0xdc00, 0xdfff);
}

function isBetween(code: number, low: number, high: number): boolean {
  return code >= low && code <= high;
}
