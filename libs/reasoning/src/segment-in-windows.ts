const WINDOW_LENGTH = 2_048;
/** Where a segment ends may depend on what follows it, up to here. */
const LOOKAHEAD_LENGTH = 128;

export interface TextSegment {
  segment: string;
  /** UTF-16 offset into the text. */
  index: number;
  isWordLike: boolean;
}

/**
 * The segments of a text, window by window: the segmenter's time grows with the square of its input, and a text of a
 * megabyte would hold a process for minutes. A segment that is longer than a window is given in pieces, of whole words where it has any.
 */
export function* segmentInWindows(segmenter: Intl.Segmenter, text: string): Generator<TextSegment> {
  for (let start = 0; start < text.length;) {
    const window = takeWindow(text, start);
    const isLast = start + window.length >= text.length;
    let done = 0;
    for (const { segment, index, isWordLike } of segmenter.segment(window)) {
      const end = index + segment.length;
      // Near its end a window doesn't tell: the next one begins there, unless the segment is all there is.
      if (!isLast && end > window.length - LOOKAHEAD_LENGTH && index > 0) break;
      const given = !isLast && end === window.length ? cutAtSpace(segment) : segment;
      yield { segment: given, index: start + index, isWordLike: isWordLike === true };
      done = index + given.length;
    }
    start += done;
  }
}

/** Never half of a character beyond the basic plane. */
function takeWindow(text: string, start: number): string {
  const end = start + WINDOW_LENGTH;
  const splitsPair = end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
  return text.slice(start, splitsPair ? end - 1 : end);
}

function cutAtSpace(segment: string): string {
  const space = segment.lastIndexOf(' ');
  return space > 0 ? segment.slice(0, space + 1) : segment;
}
