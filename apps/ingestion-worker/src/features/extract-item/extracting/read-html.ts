import { AppError } from '@candor/contracts';
import { Parser } from 'htmlparser2';
import { HtmlTextBuilder } from './html-text-builder.js';
import type { BlockKind, TextBlock } from './text-block.js';

/** Real pages stay far below; the parser's cost per tag grows with it. */
const MAX_DEPTH = 2_000;
const MAX_INDENTATION = 8;
const SILENT = new Set(
  'script style template noscript title svg math iframe object canvas audio video select datalist'.split(' '),
);
const PARTING = new Set(
  (
    'address article aside blockquote body caption center details dialog dir div dl fieldset figcaption figure footer ' +
    'form header hgroup hr html legend main nav p search section summary'
  ).split(' '),
);
const LISTS = new Set(['ul', 'ol', 'menu']);
const HEADING = /^h([1-6])$/;
const HIDDEN_STYLE = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;

interface Context {
  element: string;
  kind: BlockKind;
  level?: number;
  /** List items or cells of the row so far. */
  count: number;
  /** Of a list: how many lists it stands in. */
  nesting?: number;
}

/**
 * The text a reader sees, with the blocks that headings, lists, code and tables make; markup, scripts and hidden
 * elements are gone. Cells of a table are parted by ` | `.
 *
 * @throws AppError EXTRACT.UNREADABLE when elements are nested deeper than 2,000.
 */
export function readHtml(source: string): { text: string; blocks: TextBlock[] } {
  const reader = new HtmlReader();
  const parser = new Parser(reader, { decodeEntities: true });
  parser.write(source);
  parser.end();
  return reader.finish();
}

/** The handler's method names are htmlparser2's. */
class HtmlReader {
  private readonly builder = new HtmlTextBuilder();
  private readonly contexts: Context[] = [{ element: '', kind: 'paragraph', count: 0 }];
  private texts: string[] = [];
  private depth = 0;
  private silentSince = Infinity;

  onopentag(name: string, attributes: Record<string, string>): void {
    this.flushText();
    this.depth += 1;
    if (this.depth > MAX_DEPTH) {
      throw new AppError('EXTRACT.UNREADABLE', { message: `The HTML is nested deeper than ${MAX_DEPTH} elements.` });
    }
    if (this.isSilent) return;
    if (SILENT.has(name) || 'hidden' in attributes || HIDDEN_STYLE.test(attributes['style'] ?? '')) {
      this.silentSince = this.depth;
      return;
    }
    this.enter(name);
  }

  ontext(text: string): void {
    if (!this.isSilent) this.texts.push(text);
  }

  onclosetag(name: string): void {
    this.flushText();
    const wasSilent = this.isSilent;
    if (this.depth <= this.silentSince) this.silentSince = Infinity;
    this.depth -= 1;
    if (!wasSilent) this.leave(name);
  }

  finish(): { text: string; blocks: TextBlock[] } {
    this.flushText();
    return this.builder.finish();
  }

  private get isSilent(): boolean {
    return this.depth >= this.silentSince;
  }

  private get context(): Context {
    return this.contexts[this.contexts.length - 1]!;
  }

  private enter(name: string): void {
    const level = HEADING.exec(name)?.[1];
    if (level !== undefined) this.push({ element: name, kind: 'heading', level: Number(level), count: 0 });
    else if (name === 'pre') this.push({ element: name, kind: 'code', count: 0 });
    else if (name === 'table') this.push({ element: name, kind: 'table', count: 0 });
    else if (LISTS.has(name) && this.context.kind !== 'table') this.enterList(name);
    else if (name === 'li') this.enterItem();
    else if (name === 'tr') this.enterRow();
    else if (name === 'td' || name === 'th') this.enterCell();
    else if (name === 'br') this.breakLine();
    else if (name === 'dt' || name === 'dd') this.builder.separate(this.context.kind === 'table' ? ' ' : '\n');
    else if (PARTING.has(name)) this.part();
  }

  private leave(name: string): void {
    if (this.contexts.length > 1 && this.context.element === name) {
      const { kind } = this.context;
      this.contexts.pop();
      if (kind === 'list' && this.context.kind === 'list') this.builder.separate('\n');
      else this.builder.breakBlock();
    } else if (PARTING.has(name)) {
      this.part();
    }
  }

  private push(context: Context): void {
    this.builder.breakBlock();
    this.contexts.push(context);
  }

  private enterList(name: string): void {
    const { kind, nesting = 0 } = this.context;
    if (kind !== 'list') return this.push({ element: name, kind: 'list', count: 0, nesting: 0 });
    this.builder.separate('\n');
    this.contexts.push({ element: name, kind: 'list', count: 0, nesting: nesting + 1 });
  }

  private enterItem(): void {
    const { context } = this;
    if (context.kind !== 'list') return this.part();
    context.count += 1;
    const indentation = '  '.repeat(Math.min(context.nesting ?? 0, MAX_INDENTATION));
    this.builder.separate('\n');
    this.builder.setMarker(indentation + (context.element === 'ol' ? `${context.count}. ` : '- '));
  }

  private enterRow(): void {
    if (this.context.kind !== 'table') return this.part();
    this.context.count = 0;
    this.builder.startRow();
  }

  private enterCell(): void {
    const { context } = this;
    if (context.kind !== 'table') return this.part();
    if (context.count > 0) this.builder.partCells();
    context.count += 1;
  }

  private breakLine(): void {
    const { kind } = this.context;
    if (kind === 'code') this.builder.writeAsIs('\n');
    else this.builder.separate(kind === 'heading' || kind === 'table' ? ' ' : '\n');
  }

  /** A block-level element begins or ends: how much that parts depends on what it stands in. */
  private part(): void {
    const { kind } = this.context;
    if (kind === 'paragraph') this.builder.breakBlock();
    else this.builder.separate(kind === 'heading' || kind === 'table' ? ' ' : '\n');
  }

  private flushText(): void {
    if (this.texts.length === 0) return;
    const text = this.texts.join('');
    this.texts = [];
    const { kind, level } = this.context;
    if (kind === 'code') this.builder.writeAsIs(text);
    else this.builder.writeWords(text, kind, level);
  }
}
