import MarkdownIt from 'markdown-it';
import { findParagraphs } from './find-paragraphs.js';
import { splitMarkdown } from './split-markdown.js';
import { MAX_BLOCKS, type BlockKind, type TextBlock } from './text-block.js';
import { trimRange, type TextRange } from './trim-range.js';

const SEGMENT_MIN_LENGTH = 32_768;
/** A longer stretch without a place to cut (one giant table, say) is taken as plain paragraphs. */
const SEGMENT_MAX_LENGTH = 524_288;
const FRONT_MATTER = /^---[ \t]*\n(?:(?!---)[^\n]{0,1000}\n){0,200}---[ \t]*(?:\n|$)/;
const HEADING_MAX_LENGTH = 1_000;

const KIND_OF_TOKEN: Readonly<Record<string, BlockKind>> = {
  heading_open: 'heading',
  paragraph_open: 'paragraph',
  blockquote_open: 'paragraph',
  html_block: 'paragraph',
  bullet_list_open: 'list',
  ordered_list_open: 'list',
  fence: 'code',
  code_block: 'code',
  table_open: 'table',
};

// Inline markup stays in the text as written, so only headings are ever parsed for it.
const blockParser = new MarkdownIt('commonmark').enable('table');
blockParser.core.ruler.enableOnly(['normalize', 'block']);
const inlineParser = new MarkdownIt('commonmark');

/** Top-level blocks of a Markdown source, at the parser's own positions; the source is the text. */
export function findMarkdownBlocks(text: string): TextBlock[] {
  const frontMatterEnd = FRONT_MATTER.exec(text)?.[0].length ?? 0;
  const frontMatter = trimRange(text, 0, frontMatterEnd);
  const blocks: TextBlock[] = frontMatter ? [{ kind: 'code', ...frontMatter }] : [];
  for (const segment of splitMarkdown(text, frontMatterEnd, SEGMENT_MIN_LENGTH)) {
    if (blocks.length >= MAX_BLOCKS) break;
    const isParsed = segment.end - segment.start <= SEGMENT_MAX_LENGTH;
    const found = isParsed ? parseSegment(text, segment) : findParagraphs(text, segment.start, segment.end);
    for (const block of found) blocks.push(block);
  }
  return blocks;
}

function parseSegment(text: string, segment: TextRange): TextBlock[] {
  const source = text.slice(segment.start, segment.end);
  const lineStarts = findLineStarts(source);
  const tokens = blockParser.parse(source, {});
  const blocks: TextBlock[] = [];
  for (const [index, token] of tokens.entries()) {
    const kind = KIND_OF_TOKEN[token.type];
    if (kind === undefined || token.level !== 0 || !token.map) continue;
    const [firstLine, endLine] = token.map;
    const start = segment.start + (lineStarts[firstLine] ?? source.length);
    const range = trimRange(text, start, segment.start + (lineStarts[endLine] ?? source.length));
    if (!range) continue;
    const heading =
      kind === 'heading' ? { level: Number(token.tag[1]), headingText: readWords(tokens[index + 1]?.content) } : {};
    blocks.push({ kind, ...heading, ...range });
  }
  return blocks;
}

function findLineStarts(source: string): number[] {
  const starts = [0];
  for (let newline = source.indexOf('\n'); newline !== -1; newline = source.indexOf('\n', newline + 1)) {
    starts.push(newline + 1);
  }
  return starts;
}

function readWords(markup = ''): string {
  const source = markup.slice(0, HEADING_MAX_LENGTH);
  const [inline] = inlineParser.parseInline(source, {});
  const words = (inline?.children ?? []).map((token) => (token.type === 'softbreak' ? ' ' : token.content));
  return words.join('').replace(/\s+/g, ' ').trim();
}
