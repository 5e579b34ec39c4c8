import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AdmittedChunk } from './build-evidence-packet.js';
import { escapeXmlText } from './escape-xml.js';
import { stripCitationTokens, validateCitations } from './validate-citations.js';

const chunk = (chunkId: string, content: string): AdmittedChunk => ({
  chunkId,
  documentId: `doc-of-${chunkId}`,
  documentTitle: `Title of ${chunkId}`,
  content,
  truncated: false,
});
const statement = (text: string, ...references: Array<[chunkId: string, quotation: string]>) => ({
  text,
  references: references.map(([chunkId, quotation]) => ({ chunkId, quotation })),
});

const A = chunk('a', 'The limit\n  is 5 MB for "free" plans.\tIt was 2 MB before.');
const B = chunk('b', 'if (a < b && c > d) return "R&amp;D";');

const check = (...references: Array<[chunkId: string, quotation: string]>) =>
  validateCitations([statement('Says something.', ...references)], [A, B]);

describe('validateCitations', () => {
  it('binds document id and title on the server', () => {
    expect(check(['a', 'It was 2 MB before.']).kept).toEqual([
      {
        text: 'Says something.',
        references: [
          { chunkId: 'a', documentId: 'doc-of-a', documentTitle: 'Title of a', quotation: 'It was 2 MB before.' },
        ],
      },
    ]);
  });

  it('collapses whitespace runs and trims both sides', () => {
    expect(check(['a', '  The limit is   5 MB\u00a0for "free" plans. It was 2 MB before.\n']).citationsDropped).toBe(0);
  });

  it.each([
    ['another case', 'the limit is 5 MB'],
    ['curly quotation marks', 'for “free” plans'],
    ['a missing full stop inside', 'plans It was'],
    ['a word left out', 'The limit is MB'],
    ['an ellipsis', 'The limit … for "free" plans'],
    ['another number', 'The limit is 6 MB'],
    ['a ligature', 'The limit is 5 ㎆'],
    ['whitespace inside a word', 'The li mit is 5 MB'],
    ['whitespace removed', 'Thelimit is 5 MB'],
  ])('is no looser than that: %s is withheld and counted', (_, quotation) => {
    expect(check(['a', quotation])).toEqual({ kept: [], citationsDropped: 1 });
  });

  it('accepts a quotation of the raw text as given', () => {
    expect(check(['b', 'return "R&amp;D"']).citationsDropped).toBe(0);
    expect(check(['b', 'a < b && c > d']).citationsDropped).toBe(0);
  });

  it('accepts a quotation copied from the escaped packet, unescaped once', () => {
    expect(check(['b', 'a &lt; b &amp;&amp; c &gt; d']).citationsDropped).toBe(0);
    expect(check(['b', 'return &quot;R&amp;amp;D&quot;']).citationsDropped).toBe(0);
  });

  it('does not unescape twice', () => {
    expect(check(['b', 'a &amp;lt; b'])).toEqual({ kept: [], citationsDropped: 1 });
  });

  it('withholds and counts an unknown chunk id', () => {
    expect(check(['c', 'It was 2 MB before.'])).toEqual({ kept: [], citationsDropped: 1 });
    expect(check(['A', 'It was 2 MB before.']).citationsDropped).toBe(1);
    expect(check(['__proto__', 'It was 2 MB before.']).citationsDropped).toBe(1);
  });

  it('withholds a quotation that occurs in another admitted chunk only', () => {
    expect(check(['b', 'It was 2 MB before.']).citationsDropped).toBe(1);
  });

  it.each(['', ' ', '\n\t', '\u00a0'])('withholds and counts a blank quotation %j', (quotation) => {
    expect(check(['a', quotation])).toEqual({ kept: [], citationsDropped: 1 });
  });

  it('admits only what was shown: text after the cut cannot be quoted', () => {
    const cut = { ...chunk('a', 'The limit is 5 MB'), truncated: true };
    expect(validateCitations([statement('x', ['a', 'The limit is 5 MB for'])], [cut]).citationsDropped).toBe(1);
  });

  it('keeps a statement with its remaining references and counts only the withheld ones', () => {
    const result = check(['a', 'no such text'], ['a', 'The limit is 5 MB'], ['zz', 'x']);
    expect(result.kept[0]?.references.map((reference) => reference.quotation)).toEqual(['The limit is 5 MB']);
    expect(result.citationsDropped).toBe(2);
  });

  it('keeps duplicates without counting them', () => {
    const result = check(['a', 'The limit is 5 MB'], ['a', 'The limit is 5 MB'], ['a', 'It was 2 MB before.']);
    expect(result.kept[0]?.references).toHaveLength(3);
    expect(result.citationsDropped).toBe(0);
  });

  it('withholds a statement left with no reference whole, and keeps the others in order', () => {
    const result = validateCitations(
      [
        statement('One.', ['a', 'The limit']),
        statement('Two.', ['a', 'nowhere']),
        statement('Three.', ['b', 'return']),
      ],
      [A, B],
    );
    expect(result.kept.map((kept) => kept.text)).toEqual(['One.', 'Three.']);
    expect(result.citationsDropped).toBe(1);
  });

  it('strips the citation tokens that the model wrote', () => {
    const result = validateCitations([statement('It is 5 MB [[b]] [[made-up]].', ['a', 'is 5 MB'])], [A, B]);
    expect(result.kept[0]?.text).toBe('It is 5 MB.');
  });

  it('withholds a statement of nothing but tokens, and counts each of its references once', () => {
    const tokens = statement(' [[a]] ', ['a', 'is 5 MB'], ['a', 'nowhere'], ['a', 'is 5 MB']);
    const { kept, citationsDropped } = validateCitations([tokens, statement('Two.', ['a', 'is 5 MB'])], [A]);
    expect(kept.map(({ text }) => text)).toEqual(['Two.']);
    expect(citationsDropped).toBe(3);
  });

  it('accepts any escaped or re-spaced substring of a chunk that is not blank', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 80 }), fc.nat(80), fc.nat(80), (content, from, length) => {
        const raw = content.slice(from, from + length);
        fc.pre(raw.trim() !== '');
        for (const quotation of [raw, ` ${raw.replaceAll(' ', ' \n ')} `, escapeXmlText(raw)]) {
          const { citationsDropped } = validateCitations([statement('x', ['a', quotation])], [chunk('a', content)]);
          expect(citationsDropped).toBe(0);
        }
      }),
    );
  });
});

describe('stripCitationTokens', () => {
  it.each([
    ['[[x]] first', 'first'],
    ['nested [[a[[b]]c]] end', 'nested [ [ac]] end'],
    ['made by stripping [[[x]][y]]', 'made by stripping [ [y]]'],
    ['over\n[[two\nlines]] end', 'over\n end'],
    ['empty [[]] end', 'empty end'],
    ['open [[ end', 'open [ [ end'],
    ['[[[[[', '[ [ [ [ ['],
    ['Use [[1,2],[3,4]].', 'Use [ [1,2],[3,4]].'],
    ['[[1,2],[3,4]] holds [[x]]', '[ [1,2],[3,4]] holds'],
    ['a single [x] stays', 'a single [x] stays'],
    ['two  spaces , as written', 'two  spaces , as written'],
    ['a\ttab [[x]] and a gap [[y]] , closed', 'a\ttab and a gap, closed'],
    ['a gap at the end [[x]] .', 'a gap at the end.'],
    ['no gap before [[x]] .net', 'no gap before .net'],
  ])('%j becomes %j', (text, expected) => {
    expect(stripCitationTokens(text)).toBe(expected);
  });

  it('leaves no citation token, whatever the text, even with a real one appended', () => {
    const brackets = fc.array(fc.constantFrom('[', ']', '[[', ']]', 'x', ' ', '\n'), { maxLength: 40 });
    fc.assert(
      fc.property(brackets, (parts) => {
        const stripped = stripCitationTokens(parts.join(''));
        const tokens = `[[before]]\n\n${stripped} [[real]]`.matchAll(/\[\[([\s\S]*?)\]\]/g);
        expect([...tokens].map((match) => match[1])).toEqual(['before', 'real']);
      }),
    );
  });

  it('takes nothing away but tokens and white space', () => {
    const parts = fc.array(fc.constantFrom('[', ']', '1', ',', ' ', '.', '[[x]]'), { maxLength: 40 });
    const compact = (text: string) => text.replace(/\s/g, '');
    fc.assert(
      fc.property(parts, (pieces) => {
        const text = pieces.join('');
        expect(compact(stripCitationTokens(text))).toBe(compact(text.replace(/\[\[[^[\]]*\]\]/g, '')));
      }),
    );
  });

  // Where the time is quadratic, this one doesn't end.
  it.each(['[', '[[', '[[x', '[[x]', ']', ' '])(
    'takes a time that grows as the text does: %j over and over',
    (part) => {
      expect(stripCitationTokens(part.repeat(1_000_000))).not.toContain('[[');
    },
  );
});
