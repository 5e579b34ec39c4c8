import type { AdmittedChunk } from './build-evidence-packet.js';
import { unescapeXmlOnce } from './escape-xml.js';
import type { SynthesisStatement } from './synthesis-output.js';

export interface BoundReference {
  chunkId: string;
  documentId: string;
  documentTitle: string;
  quotation: string;
}

export interface KeptStatement {
  text: string;
  /** At least one, in the provider's order; the same chunk may come again. */
  references: BoundReference[];
}

export interface ValidatedCitations {
  kept: KeptStatement[];
  /**
   * References withheld: unknown chunk, blank quotation, one that doesn't occur in its chunk as shown, and all of a statement
   * whose text was nothing but citation tokens.
   */
  citationsDropped: number;
}

/**
 * Keeps what can be linked to the admitted evidence. That a quotation occurs in its chunk proves source linkage,
 * not that the statement follows from it (seed 000, "Verify citations").
 */
export function validateCitations(
  statements: readonly SynthesisStatement[],
  admitted: readonly AdmittedChunk[],
): ValidatedCitations {
  const chunks = new Map(
    admitted.map((chunk) => [chunk.chunkId, { chunk, searchable: normalizeWhitespace(chunk.content) }]),
  );
  const kept: KeptStatement[] = [];
  let citationsDropped = 0;
  for (const statement of statements) {
    const references: BoundReference[] = [];
    for (const { chunkId, quotation } of statement.references) {
      const source = chunks.get(chunkId);
      if (source !== undefined && occursIn(quotation, source.searchable)) {
        const { documentId, documentTitle } = source.chunk;
        references.push({ chunkId, documentId, documentTitle, quotation });
      } else {
        citationsDropped += 1;
      }
    }
    const text = stripCitationTokens(statement.text);
    if (text === '') citationsDropped += references.length;
    else if (references.length > 0) kept.push({ text, references });
  }
  return { kept, citationsDropped };
}

/**
 * Removes every `[[…]]` without brackets inside, as the server's own tokens are: nobody else writes citation tokens. What is
 * nested, as lists are, stays; each `[[` of the rest is parted, or it would become a token where one was taken out of it, or
 * swallow the one that the server appends after it.
 */
export function stripCitationTokens(text: string): string {
  const stripped = text.replace(/\[\[[^[\]]*\]\]/g, '');
  const parted = stripped.replace(/\[(?=\[)/g, '[ ');
  if (stripped === text) return parted.trim();
  // Closes the gap that a token left, before a full stop above all.
  return parted
    .replace(/[^\S\n]{2,}/g, ' ')
    .replace(/[^\S\n](?=[.,;:!?](?:\s|$))/g, '')
    .trim();
}

/** Collapses whitespace runs and trims both sides: all the tolerance a quotation gets. */
export function normalizeWhitespace(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function occursIn(quotation: string, searchable: string): boolean {
  const asGiven = normalizeWhitespace(quotation);
  if (asGiven !== '' && searchable.includes(asGiven)) return true;
  // The provider saw the chunk escaped and may have copied it so.
  const unescaped = normalizeWhitespace(unescapeXmlOnce(quotation));
  return unescaped !== '' && searchable.includes(unescaped);
}
