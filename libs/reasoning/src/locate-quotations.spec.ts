import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AdmittedChunk } from './build-evidence-packet.js';
import { escapeXmlText, unescapeXmlOnce } from './escape-xml.js';
import { locateQuotations } from './locate-quotations.js';
import { validateCitations } from './validate-citations.js';

const chunk = (chunkId: string, content: string): AdmittedChunk => ({
  chunkId,
  documentId: `doc-of-${chunkId}`,
  documentTitle: `Title of ${chunkId}`,
  content,
  truncated: false,
});
const A = chunk('a', 'The limit\n  is 5 MB.\tIt was 2 MB before. It was 2 MB before.');
const B = chunk('b', 'A < B & C.');

/** Through the same check as an answer's quotations. */
const locate = (references: [chunkId: string, quotation: string][], admitted = [A, B]) => {
  const statement = { text: 'Said.', references: references.map(([chunkId, quotation]) => ({ chunkId, quotation })) };
  return locateQuotations(validateCitations([statement], admitted).kept, admitted);
};

describe('locateQuotations', () => {
  it('gives the place in the chunk, and the chunk’s own words', () => {
    expect(locate([['a', ' limit is   5 MB.']])).toEqual([
      { text: 'Said.', quotations: [{ chunkId: 'a', quotation: 'limit\n  is 5 MB.', start: 4, end: 20 }] },
    ]);
  });

  it('finds what was copied as the packet showed it', () => {
    expect(locate([['b', 'A &lt; B &amp; C.']])[0]?.quotations).toEqual([
      { chunkId: 'b', quotation: 'A < B & C.', start: 0, end: 10 },
    ]);
  });

  it('keeps several quotations of a statement in their order, and tells the same place once', () => {
    const [statement] = locate([
      ['b', 'C.'],
      ['a', 'It was 2 MB before.'],
      ['a', 'It  was 2 MB before.'],
    ]);
    expect(statement?.quotations.map(({ chunkId, start }) => [chunkId, start])).toEqual([
      ['b', 8],
      ['a', 21],
    ]);
  });

  it('never passes over a quotation that its chunk does not hold', () => {
    const kept = [{ text: 'Said.', references: [{ ...B, quotation: 'Invented.' }] }];
    expect(() => locateQuotations(kept, [A, B])).toThrow('does not occur in its chunk');
  });

  it('finds whatever the check of citations keeps, at a place that holds the same words', () => {
    const words = fc.array(fc.constantFrom('a', 'b', ' ', '\n', '\u00a0', '&', '<', '&amp;', '\u{1F600}', 'e\u0301'), {
      minLength: 1,
      maxLength: 30,
    });
    const collapse = (text: string) => text.replace(/\s+/g, ' ').trim();
    let located = 0;
    fc.assert(
      fc.property(words, fc.nat(29), fc.nat(29), fc.boolean(), (parts, from, to, isEscaped) => {
        const quoted = parts.slice(Math.min(from, to), Math.max(from, to) + 1).join('');
        const source = chunk('x', parts.join(''));
        const given = isEscaped ? escapeXmlText(quoted) : quoted;
        for (const { quotations } of locate([['x', given]], [source])) {
          for (const { start, end, quotation } of quotations) {
            located += 1;
            expect(source.content.slice(start, end)).toBe(quotation);
            expect([given, unescapeXmlOnce(given)].map(collapse)).toContain(collapse(quotation));
          }
        }
      }),
      { numRuns: 300 },
    );
    expect(located).toBeGreaterThan(50);
  });
});
