import { AppError } from '@candor/contracts';
import { findMarkdownBlocks } from './extracting/find-markdown-blocks.js';
import { findParagraphs } from './extracting/find-paragraphs.js';
import { readHtml } from './extracting/read-html.js';
import { MAX_BLOCKS, type TextBlock } from './extracting/text-block.js';

export type { BlockKind, TextBlock } from './extracting/text-block.js';

/** Part of the pipeline fingerprint: raise it with every change of the text or blocks that come out. */
export const EXTRACTOR_VERSION = '1';

export interface ExtractInput {
  /** Kept beside the text, never in it. */
  title: string;
  body: string;
  mimeType: 'text/plain' | 'text/markdown' | 'text/html';
}

export interface Extraction {
  /** Every offset of the product counts UTF-16 units of this. */
  text: string;
  /**
   * In reading order, without overlaps, 100,000 at most. What lies between two or behind the last may hold text too
   * (a link definition, a rule, the rest of a huge document).
   */
  blocks: TextBlock[];
}

const VISIBLE = /[^\s\p{Cc}\p{Cf}]/u;

/**
 * Plain text and Markdown stay as written, but for line ends (LF) and a leading byte order mark; HTML becomes the
 * text a reader sees. Characters are never composed, folded or replaced. Time and memory are linear in the body.
 *
 * @throws AppError EXTRACT.EMPTY without a visible character, EXTRACT.UNREADABLE for absurdly nested HTML.
 */
export function extractText({ body, mimeType }: ExtractInput): Extraction {
  const source = body.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  const extraction =
    mimeType === 'text/html' ? readHtml(source) : { text: source, blocks: findBlocks(source, mimeType) };
  if (!VISIBLE.test(extraction.text)) throw new AppError('EXTRACT.EMPTY');
  return { text: extraction.text, blocks: extraction.blocks.slice(0, MAX_BLOCKS) };
}

function findBlocks(text: string, mimeType: 'text/plain' | 'text/markdown'): TextBlock[] {
  return mimeType === 'text/markdown' ? findMarkdownBlocks(text) : findParagraphs(text);
}
