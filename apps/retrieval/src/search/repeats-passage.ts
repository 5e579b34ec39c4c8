import type { FoundChunk } from '@candor/search-index/read';

type PassageText = Pick<FoundChunk, 'chunkId' | 'parentId' | 'itemId' | 'level' | 'sectionPath' | 'content'>;

/**
 * Whether two passages of one item say the same words: the same text, or a section and the one paragraph that it
 * consists of (its heading aside). Showing both would spend a place of the page on nothing new.
 */
export function repeatsPassage(left: PassageText, right: PassageText): boolean {
  if (left.itemId !== right.itemId) return false;
  const [leftText, rightText] = [collapse(left.content), collapse(right.content)];
  if (leftText === rightText) return true;
  if (left.parentId === right.chunkId) return isOnlyContent(right, rightText, leftText);
  if (right.parentId === left.chunkId) return isOnlyContent(left, leftText, rightText);
  return false;
}

function isOnlyContent(section: PassageText, sectionText: string, paragraphText: string): boolean {
  if (section.level !== 'section' || !sectionText.endsWith(paragraphText)) return false;
  const before = sectionText.slice(0, sectionText.length - paragraphText.length);
  const heading = collapse(section.sectionPath.at(-1) ?? '');
  return before.replace(/^#+ ?/, '').trim() === heading;
}

function collapse(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
