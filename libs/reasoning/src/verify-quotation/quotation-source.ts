import { unescapeXmlOnce } from '../escape-xml.js';
import { normalizeWhitespace } from '../validate-citations.js';
import { CollapsedText } from './collapsed-text.js';
import { findElided } from './find-elided.js';
import { foldText } from './fold-text.js';
import type { MappedText } from './mapped-text.js';
import { findWhole } from './find-whole.js';

export interface FoundQuotation {
  /** `repaired` = only after what `foldText` sets aside, outer quotation marks, a last punctuation mark, or an ellipsis. */
  status: 'verified' | 'repaired';
  /** UTF-16 offsets into the source. */
  start: number;
  end: number;
  /** The source's own words from `start` to `end`. */
  quotation: string;
}

/** Of longer sources only what stands there as quoted is found, UTF-16 units: repairs read every character. */
const LONGEST_REPAIRED = 500_000;

/** One text in which many quotations are looked up. */
export class QuotationSource {
  private readonly collapsed: CollapsedText;
  private folded: MappedText | undefined;

  constructor(private readonly text: string) {
    this.collapsed = new CollapsedText(text);
  }

  /** Reads a large text part by part, so that others have their turn in between; without it the first look reads all of it. */
  async prepare(pause: () => Promise<void>): Promise<void> {
    while (this.collapsed.readPart()) await pause();
  }

  /**
   * The first place where the quotation occurs, whitespace runs collapsed and trimmed on both sides (reasoning.md, 6), as
   * given, else XML-unescaped once, else repaired. Null when it doesn't, or says nothing.
   */
  find(quotation: string): FoundQuotation | null {
    const variants = [...new Set([quotation, unescapeXmlOnce(quotation)])];
    for (const variant of variants) {
      const found = this.findAsQuoted(normalizeWhitespace(variant));
      if (found) return found;
    }
    if (this.text.length > LONGEST_REPAIRED) return null;
    for (const variant of variants) {
      const found = this.findRepaired(variant);
      if (found) return found;
    }
    return null;
  }

  private findAsQuoted(wanted: string): FoundQuotation | null {
    const at = wanted === '' ? -1 : this.collapsed.text.indexOf(wanted);
    if (at < 0) return null;
    const { start, end } = this.collapsed.locate(at, wanted.length);
    return { status: 'verified', start, end, quotation: this.text.slice(start, end) };
  }

  private findRepaired(quotation: string): FoundQuotation | null {
    this.folded ??= foldText(this.text);
    const wanted = foldText(quotation).text;
    const bare = stripEdges(wanted);
    const place = findWhole(this.folded, wanted) ?? findWhole(this.folded, bare) ?? findElided(this.folded, bare);
    if (!place) return null;
    const start = this.folded.starts[place.at] ?? 0;
    const end = this.folded.ends[place.at + place.length - 1] ?? start;
    return { status: 'repaired', start, end, quotation: this.text.slice(start, end) };
  }
}

/** Looks one quotation up in one text; see `QuotationSource`. */
export function verifyQuotation(quotation: string, text: string): FoundQuotation | null {
  return new QuotationSource(text).find(quotation);
}

/** Marks that a writer puts around a quotation or at its end. */
function stripEdges(folded: string): string {
  return folded
    .replace(/^["'\s]+|["'\s]+$/g, '')
    .replace(/[\s.,;:!?]+$/, '')
    .replace(/^["'\s.]+|["'\s]+$/g, '');
}
