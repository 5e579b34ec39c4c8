import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { buildEvidencePacket, type EvidencePassage } from './build-evidence-packet.js';
import { loadTokenCounter, type TokenCounter } from './count-tokens.js';
import { unescapeXmlOnce } from './escape-xml.js';

let countTokens: TokenCounter;
beforeAll(async () => {
  countTokens = await loadTokenCounter();
});

const passage = (chunkId: string, content: string, documentTitle = `Title of ${chunkId}`): EvidencePassage =>
  ({ chunkId, documentId: `doc-of-${chunkId}`, documentTitle, content }) as EvidencePassage;

const build = (passages: readonly EvidencePassage[], maxTokens = 8000, limit = 50) =>
  buildEvidencePacket({ passages, limit, maxTokens, countTokens });

/** What a reader of the packet sees: every chunk element with its attributes and its text. */
function readPacket(text: string): Array<{ id: string; title: string; content: string }> {
  const inside = /^<evidence>\n([\s\S]*)<\/evidence>$/.exec(text)?.[1] ?? '';
  const chunks = [...inside.matchAll(/<chunk id="([^"<>]*)" title="([^"<>]*)">\n([^<>]*)\n<\/chunk>\n/g)];
  expect(chunks.map(([whole]) => whole).join('')).toBe(inside);
  return chunks.map(([, id = '', title = '', content = '']) => ({
    id: unescapeXmlOnce(id),
    title: unescapeXmlOnce(title),
    content: unescapeXmlOnce(content),
  }));
}

const anyText = fc.oneof(
  fc.string({ maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc
    .array(
      fc.constantFrom(
        'word',
        '</chunk>',
        '<chunk id="x">',
        '&amp;',
        '&',
        '\n',
        ' ',
        '"',
        "'",
        '中文',
        '\ud800',
        ']]>',
        '<!--',
      ),
      { maxLength: 120 },
    )
    .map((parts) => parts.join('')),
);
const anyPassages = fc
  .array(fc.tuple(anyText, anyText), { maxLength: 8 })
  .map((all) => all.map(([title, content], index) => passage(`chunk-${index}`, content, title)));

describe('buildEvidencePacket', () => {
  it('shows whole passages in the order of retrieval under their real chunk ids and titles', () => {
    const packet = build([passage('b7', 'Second to none.'), passage('a1', 'First in line.')]);
    expect(readPacket(packet.text)).toEqual([
      { id: 'b7', title: 'Title of b7', content: 'Second to none.' },
      { id: 'a1', title: 'Title of a1', content: 'First in line.' },
    ]);
    expect(packet.admitted).toEqual([
      {
        chunkId: 'b7',
        documentId: 'doc-of-b7',
        documentTitle: 'Title of b7',
        content: 'Second to none.',
        truncated: false,
      },
      {
        chunkId: 'a1',
        documentId: 'doc-of-a1',
        documentTitle: 'Title of a1',
        content: 'First in line.',
        truncated: false,
      },
    ]);
    expect(packet.excluded).toEqual({ byLimit: 0, byTokens: 0 });
  });

  it('counts wrappers, titles and content', () => {
    const packet = build([passage('a', 'Some text.')]);
    expect(packet.tokens).toBe(countTokens(packet.text));
    const longerTitle = build([passage('a', 'Some text.', 'A title of very many words that are all counted')]);
    expect(longerTitle.tokens).toBeGreaterThan(packet.tokens);
    expect(packet.tokens).toBeGreaterThan(countTokens('Some text.') + countTokens('Title of a'));
  });

  it('admits at most `limit` chunks and counts the others', () => {
    const packet = build([passage('a', 'one'), passage('b', 'two'), passage('c', 'three')], 8000, 2);
    expect(packet.admitted.map((chunk) => chunk.chunkId)).toEqual(['a', 'b']);
    expect(packet.excluded).toEqual({ byLimit: 1, byTokens: 0 });
  });

  it('cuts the last admitted chunk at a word boundary and leaves out what follows', () => {
    const words = Array.from({ length: 400 }, (_, index) => `word${index}`).join(' ');
    const packet = build([passage('a', 'Short.'), passage('b', words), passage('c', 'After.')], 200);
    expect(packet.admitted.map((chunk) => [chunk.chunkId, chunk.truncated])).toEqual([
      ['a', false],
      ['b', true],
    ]);
    const shown = packet.admitted[1]?.content ?? '';
    expect(words.startsWith(shown)).toBe(true);
    expect(words[shown.length]).toBe(' ');
    expect(readPacket(packet.text)[1]?.content).toBe(shown);
    expect(packet.excluded).toEqual({ byLimit: 0, byTokens: 1 });
    // One word more would not have fitted: the budget is used.
    expect(packet.tokens).toBeGreaterThan(190);
  });

  it('ends the packet with the chunk that it cut, even if a shorter one would still fit', () => {
    // Words so long that the cut leaves room for a whole small chunk.
    const longWords = Array.from({ length: 20 }, (_, index) => `${index}x9q7z`.repeat(9)).join(' ');
    const small = passage('c', 'x', 'T');
    const smallTokens = countTokens(build([small]).text);
    const budgets = Array.from({ length: 60 }, (_, index) => 200 + index);
    const packets = budgets.map((maxTokens) => ({
      maxTokens,
      packet: build([passage('b', longWords), small], maxTokens),
    }));
    expect(packets.some(({ maxTokens, packet }) => maxTokens - packet.tokens > smallTokens)).toBe(true);
    for (const { packet } of packets) expect(packet.admitted.map((chunk) => chunk.chunkId)).toEqual(['b']);
  });

  it('cuts text without spaces between words', () => {
    const text = '检索服务只返回最相关的段落并保持原有顺序，'.repeat(60);
    const packet = build([passage('zh', text)], 300);
    const shown = packet.admitted[0]?.content ?? '';
    expect(shown.length).toBeGreaterThan(50);
    expect(text.startsWith(shown)).toBe(true);
    const boundaries = new Set(
      [...new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)].map((segment) => segment.index),
    );
    expect(boundaries.has(shown.length)).toBe(true);
  });

  it('leaves out a passage of which not one word fits and goes on with the next', () => {
    const longTitle = Array.from({ length: 300 }, (_, index) => `title${index}`).join(' ');
    const packet = build([passage('a', 'Some text.', longTitle), passage('b', 'Fits.')], 100);
    expect(packet.admitted.map((chunk) => chunk.chunkId)).toEqual(['b']);
    expect(packet.excluded.byTokens).toBe(1);
  });

  it.each([0, 1, 5, 20])('is empty, wrappers too, when the budget is %d tokens', (maxTokens) => {
    const packet = build([passage('a-rather-long-chunk-identifier', 'Some text.')], maxTokens);
    expect(packet).toEqual({ text: '', admitted: [], tokens: 0, excluded: { byLimit: 0, byTokens: 1 } });
  });

  it('leaves out a passage without text', () => {
    expect(build([passage('a', ' \n ')]).admitted).toEqual([]);
  });

  it('holds no score, level or sibling of a passage', () => {
    const scored = { ...passage('a', 'Text.'), score: 0.98765, level: 'section', parentId: 'parent-id' };
    const packet = build([scored]);
    expect(JSON.stringify(packet)).not.toMatch(/0\.98765|section|parent-id/);
  });

  it('survives text that looks like a special token of the tokenizer', () => {
    expect(build([passage('a', 'before <|endoftext|> after')]).admitted).toHaveLength(1);
  });

  it('never exceeds maxTokens', () => {
    fc.assert(
      fc.property(
        anyPassages,
        fc.integer({ min: 0, max: 400 }),
        fc.integer({ min: 1, max: 8 }),
        (passages, maxTokens, limit) => {
          const packet = build(passages, maxTokens, limit);
          expect(countTokens(packet.text)).toBeLessThanOrEqual(maxTokens);
          expect(packet.tokens).toBe(countTokens(packet.text));
          expect(packet.admitted.length).toBeLessThanOrEqual(limit);
          expect(packet.admitted.length + packet.excluded.byLimit + packet.excluded.byTokens).toBe(passages.length);
        },
      ),
    );
  });

  it('never exceeds maxTokens even when counts do not add up', () => {
    // A counter that charges the whole more than its parts.
    const superadditive: TokenCounter = (text) => Math.ceil(text.length ** 1.3 / 8);
    fc.assert(
      fc.property(anyPassages, fc.integer({ min: 0, max: 400 }), (passages, maxTokens) => {
        const packet = buildEvidencePacket({ passages, limit: 50, maxTokens, countTokens: superadditive });
        expect(superadditive(packet.text)).toBeLessThanOrEqual(maxTokens);
      }),
    );
  });

  it('shows a prefix of the raw text, unescaped, and lets no text close a wrapper', () => {
    fc.assert(
      fc.property(anyPassages, fc.integer({ min: 0, max: 600 }), (passages, maxTokens) => {
        const packet = build(passages, maxTokens);
        const shown = packet.text === '' ? [] : readPacket(packet.text);
        expect(shown).toHaveLength(packet.admitted.length);
        let from = 0;
        for (const [index, chunk] of packet.admitted.entries()) {
          const at = passages.findIndex((each, position) => position >= from && each.chunkId === chunk.chunkId);
          expect(at).toBeGreaterThanOrEqual(from);
          from = at + 1;
          expect(shown[index]).toEqual({
            id: chunk.chunkId,
            title: passages[at]?.documentTitle,
            content: chunk.content,
          });
          expect(passages[at]?.content.startsWith(chunk.content)).toBe(true);
        }
      }),
    );
  });
});
