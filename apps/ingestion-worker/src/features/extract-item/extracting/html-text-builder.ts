import type { BlockKind, TextBlock } from './text-block.js';
import { trimRange } from './trim-range.js';

/** Weakest first; of several separators in a row the strongest is written. */
type Separator = '' | ' ' | '\n' | '\n\n';

const EDGE_SPACE = /[ \t\n\f\r]/;
const SPACES = /[ \t\n\f\r]+/;

/** Writes readable text piece by piece and notes where its blocks begin and end. */
export class HtmlTextBuilder {
  private readonly blocks: TextBlock[] = [];
  private readonly pieces: string[] = [];
  private length = 0;
  private separator: Separator = '';
  private marker = '';
  private cells = 0;
  private isFreshRow = false;
  private open: TextBlock | null = null;

  /** What comes next belongs to another block, even if it is of the same kind. */
  breakBlock(): void {
    this.closeBlock();
    this.separate('\n\n');
    this.marker = '';
    this.cells = 0;
  }

  separate(separator: Separator): void {
    if (separator.length > this.separator.length || (separator === '\n' && this.separator === ' ')) {
      this.separator = separator;
    }
  }

  /** Starts a row of a table. */
  startRow(): void {
    this.separate('\n');
    this.cells = 0;
    this.isFreshRow = true;
  }

  /** Parts two cells, whatever white space was due between them. */
  partCells(): void {
    this.cells += 1;
  }

  /** Written before the next words, if any come before the block ends: the dash of a list item. */
  setMarker(marker: string): void {
    this.marker = marker;
  }

  /** Running text: white space collapses. */
  writeWords(text: string, kind: BlockKind, level?: number): void {
    if (text.trim() === '') {
      if (text !== '') this.separate(' ');
      return;
    }
    const words = text.split(SPACES).filter((word) => word !== '');
    if (EDGE_SPACE.test(text[0] ?? '')) this.separate(' ');
    this.write(words.join(' '), kind, level);
    if (EDGE_SPACE.test(text.at(-1) ?? '')) this.separate(' ');
  }

  /** Preformatted text: as it is. */
  writeAsIs(text: string): void {
    if (text.trim() === '' && !this.open) return;
    this.write(text, 'code');
  }

  finish(): { text: string; blocks: TextBlock[] } {
    this.closeBlock();
    const text = this.pieces.join('');
    const blocks = this.blocks.map((block) => {
      const range = trimRange(text, block.start, block.end) ?? block;
      const heading = block.kind === 'heading' ? { headingText: text.slice(range.start, range.end) } : {};
      return { ...block, ...heading, ...range };
    });
    return { text, blocks };
  }

  private write(text: string, kind: BlockKind, level?: number): void {
    if (this.open && this.open.kind !== kind) this.breakBlock();
    this.append(this.takeSeparator());
    if (!this.open) {
      this.open = { kind, ...(level === undefined ? {} : { level }), start: this.length, end: this.length };
    }
    this.append(this.marker + text);
    this.marker = '';
    this.open.end = this.length;
  }

  private takeSeparator(): string {
    const { separator, cells, isFreshRow } = this;
    this.separator = '';
    this.cells = 0;
    this.isFreshRow = false;
    const whiteSpace = this.length === 0 ? '' : separator;
    if (cells === 0) return whiteSpace;
    return isFreshRow ? whiteSpace + '| '.repeat(cells) : `${' |'.repeat(cells)} `;
  }

  private append(piece: string): void {
    if (piece === '') return;
    this.pieces.push(piece);
    this.length += piece.length;
  }

  private closeBlock(): void {
    if (this.open) this.blocks.push(this.open);
    this.open = null;
  }
}
