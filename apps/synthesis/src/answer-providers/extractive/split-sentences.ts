import { segmentInWindows } from '@candor/reasoning/relevance';
import { cleanMarkdown } from './clean-markdown.js';

export interface Sentence {
  /** UTF-16 offsets into the content: `content.slice(start, end)` is the quotation. */
  start: number;
  end: number;
  /** Readable form: Markdown marks removed, whitespace collapsed. */
  text: string;
  isHeading: boolean;
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** A hard-wrapped line is at least this long; a shorter line ends where its writer ended it. */
const SHORTEST_WRAPPED_LINE = 40;
/** Text without sentence ends (logs, tables, transcripts) is taken in pieces of about this many characters. */
const LONGEST_SENTENCE = 600;

const BLOCK_MARK = /^\s*(?:>+\s*)*(?:[-*+•]\s+(?:\[[ xX]\]\s+)?|\(?\d{1,3}[.)]\s+|#{1,6}\s+|>+\s*)/;
const HEADING = /^\s*#{1,6}\s+/;
const FENCE_OR_RULE = /^\s*(?:```.*|~~~.*|[-*_=|:\s+]{3,})$/;
const CHAT_LINE =
  /^\s*(?:\[[^\]]{1,40}\]\s*)?(?:<?@?[\p{Lu}\p{N}][\p{L}\p{N}._@' -]{0,40}>?)(?:\s*\([^)]{1,40}\))?:\s/u;
const TABLE_ROW = /^\s*\|/;
const ABBREVIATION =
  /(?:^|[\s("'])(?:\p{Lu}|(?:\p{L}\.)+\p{L}|Mr|Mrs|Ms|Dr|Prof|Rev|Gen|Col|Capt|Lt|Sgt|Sen|Rep|Gov|Hon|St|Jr|Sr|vs|etc|e\.g|i\.e|cf|al|ca|approx|No|Nos|Fig|Eq|Sec|Ch|Vol|pp|ed|eds|Inc|Ltd|Co|Corp|Dept|Est|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.\s*$/u;

/** Whole sentences of a chunk in order; list items, chat lines, table rows and headings each stand alone. */
export function splitSentences(content: string): Sentence[] {
  return splitBlocks(content).flatMap((block) => splitBlock(content, block));
}

interface Block {
  start: number;
  end: number;
  isHeading: boolean;
}

function splitBlocks(content: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  let previousLine = '';
  for (const { 0: line, index } of content.matchAll(/[^\r\n]+|\r\n|\r|\n/g)) {
    if (/^[\r\n]+$/.test(line)) {
      // Two line ends in a row make a paragraph; the empty line between them has no match of its own.
      if (previousLine === '\n') open = undefined;
      previousLine = '\n';
      continue;
    }
    if (line.trim() === '' || FENCE_OR_RULE.test(line)) {
      open = undefined;
      previousLine = line;
      continue;
    }
    const mark = BLOCK_MARK.exec(line)?.[0] ?? '';
    const startsBlock = mark !== '' || TABLE_ROW.test(line) || CHAT_LINE.test(line);
    const lastText: string = open === undefined ? '' : content.slice(open.start, open.end);
    if (open !== undefined && !startsBlock && continuesLine(lastText, line) && !open.isHeading) {
      open.end = index + line.length;
    } else {
      open = { start: index + mark.length, end: index + line.length, isHeading: HEADING.test(line) };
      blocks.push(open);
    }
    previousLine = line;
  }
  return blocks;
}

function continuesLine(before: string, line: string): boolean {
  const lastLine = before.slice(Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1);
  return lastLine.trim().length >= SHORTEST_WRAPPED_LINE || /^\s*\p{Ll}/u.test(line);
}

function splitBlock(content: string, block: Block): Sentence[] {
  // Same length, so that offsets hold; a line end inside a paragraph isn't the end of a sentence.
  // Neither is a mark inside a URL or before an image.
  const flat = content
    .slice(block.start, block.end)
    .replace(/[\r\n]/g, ' ')
    .replace(/[!?](?=[A-Za-z0-9/=&[(])/g, ' ');
  const pieces: Array<{ from: number; to: number }> = [];
  let from = 0;
  for (const segment of segmentInWindows(segmenter, flat)) {
    const to = segment.index + segment.segment.length;
    if (to < flat.length && ABBREVIATION.test(flat.slice(from, to))) continue;
    pieces.push(...splitOverlong(flat, from, to));
    from = to;
  }
  if (from < flat.length) pieces.push(...splitOverlong(flat, from, flat.length));
  return pieces.flatMap(({ from: pieceFrom, to }) => {
    const raw = flat.slice(pieceFrom, to);
    const start = block.start + pieceFrom + (raw.length - raw.trimStart().length);
    const end = block.start + pieceFrom + raw.trimEnd().length;
    const text = start < end ? cleanMarkdown(content.slice(start, end)) : '';
    return /[\p{L}\p{N}]/u.test(text) ? [{ start, end, text, isHeading: block.isHeading }] : [];
  });
}

function splitOverlong(flat: string, from: number, to: number): Array<{ from: number; to: number }> {
  const pieces: Array<{ from: number; to: number }> = [];
  let start = from;
  while (to - start > LONGEST_SENTENCE) {
    const space = flat.lastIndexOf(' ', start + LONGEST_SENTENCE);
    // Half a piece at least: a run without spaces is cut where it is.
    const end = space > start + LONGEST_SENTENCE / 2 ? space : start + LONGEST_SENTENCE;
    pieces.push({ from: start, to: end });
    start = end;
  }
  pieces.push({ from: start, to });
  return pieces;
}
