import type { LiteralMatch } from '@candor/persistence/views';

/** Of the window's ends, where half a word may stand. */
const MARGIN = 40;

/** The window around a match as people read it: from word to word, `…` where there is more. */
export function cutHighlight({
  window,
  startsCut,
  endsCut,
}: Pick<LiteralMatch, 'window' | 'startsCut' | 'endsCut'>): string {
  let text = window ?? '';
  if (endsCut) {
    const end = text.search(/\s\S*$/);
    text = end >= 0 && end > text.length - MARGIN ? text.slice(0, end) : text;
  }
  if (startsCut) {
    const start = text.search(/\s/);
    text = start >= 0 && start < MARGIN ? text.slice(start) : text;
  }
  return `${startsCut ? '…' : ''}${text.trim()}${endsCut ? '…' : ''}`;
}
