import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chunkDocument, DEFAULT_CHUNK_LIMITS, type ChunkInput, type ChunkNode } from './chunk-document.js';
import { extractText } from './extract-text.js';

type MimeType = 'text/plain' | 'text/markdown' | 'text/html';

const ITEM_ID = '0192f0c1-2b3d-7e4f-8a5b-6c7d8e9f0a1b';
const countCharacters = (text: string): number => Math.ceil(text.length / 4);

const chunk = (body: string, options: Partial<ChunkInput> & { mimeType?: MimeType } = {}) => {
  const { mimeType = 'text/markdown', ...rest } = options;
  const { text, blocks } = extractText({ title: 'T', body, mimeType });
  const input = { itemId: ITEM_ID, version: 1, title: 'T', text, blocks, countTokens: countCharacters, ...rest };
  return { text, nodes: chunkDocument(input) };
};
const paragraphsOf = (nodes: readonly ChunkNode[]): ChunkNode[] => nodes.filter(({ level }) => level === 'paragraph');
const sectionsOf = (nodes: readonly ChunkNode[]): ChunkNode[] => nodes.filter(({ level }) => level === 'section');
const sentence = (number: number): string =>
  `Sentence number ${number} says that the retention rule applies to all records. `;
const prose = (count: number): string =>
  Array.from({ length: count }, (_, index) => sentence(index))
    .join('')
    .trim();

describe('chunkDocument', () => {
  it('indexes a document of one paragraph once', () => {
    const { text, nodes } = chunk('# Refunds\n\nRefunds take fourteen days.');
    expect(nodes.map(({ level, indexed, ordinal }) => ({ level, indexed, ordinal }))).toEqual([
      { level: 'document', indexed: false, ordinal: 0 },
      { level: 'section', indexed: false, ordinal: 1 },
      { level: 'paragraph', indexed: true, ordinal: 2 },
    ]);
    expect(nodes[2]).toMatchObject({
      parentId: nodes[1]?.chunkId,
      previousId: null,
      nextId: null,
      start: 0,
      end: text.length,
      sectionPath: ['Refunds'],
      headingText: 'Refunds',
    });
    expect(chunk('hi').nodes.filter(({ indexed }) => indexed)).toHaveLength(1);
  });

  it('makes no nodes of no text', () => {
    expect(
      chunkDocument({ itemId: ITEM_ID, version: 1, title: 'T', text: ' \n', blocks: [], countTokens: countCharacters }),
    ).toEqual([]);
  });

  it('has chunk ids that item, version and place decide', () => {
    const ids = (options: Partial<ChunkInput>): string[] =>
      chunk('# A\n\na\n\n# B\n\nb', options).nodes.map((node) => node.chunkId);
    expect(ids({})).toEqual(ids({}));
    expect(ids({ version: 2 })).not.toEqual(ids({}));
    expect(ids({ itemId: '0192f0c1-2b3d-7e4f-8a5b-6c7d8e9f0a1c' })).not.toEqual(ids({}));
    // Stored chunks are found by these ids: a change here needs a new CHUNKER_VERSION.
    expect(ids({})).toMatchInlineSnapshot(`
      [
        "3a205b8e-8a58-5e3a-995f-36622a96e3d1",
        "85435bb7-06cc-5784-aa97-bc2b3c410af9",
        "a9e56166-b72e-5af6-9c1a-8022925099fe",
        "4402d17a-0ab1-5120-a091-0cababc530fa",
        "eec654a2-53d3-5a32-8ac4-905797375fa6",
      ]
    `);
  });

  it('has other chunk ids for another way of cutting', () => {
    const ids = (chunking?: string): string[] =>
      chunk('# A\n\na', chunking === undefined ? {} : { chunking }).nodes.map(({ chunkId }) => chunkId);
    expect(ids('one')).toEqual(ids('one'));
    expect(ids('')).toEqual(ids());
    expect(new Set([...ids(), ...ids('one'), ...ids('two')]).size).toBe(ids().length * 3);
  });

  it('builds document › section › paragraph along the headings', () => {
    const body = ['intro', '# A', 'a', '## A1', 'a1', '#### A1x', 'a1x', '## A2', 'a2', '# B', 'b'].join('\n\n');
    const { text, nodes } = chunk(body);
    const byId = new Map(nodes.map((node) => [node.chunkId, node]));
    const tree = nodes.map((node) => {
      const parent = node.parentId === null ? undefined : byId.get(node.parentId);
      return `${node.level} ${node.sectionPath.join('/')} < ${parent?.level ?? '-'} ${parent?.sectionPath.join('/') ?? ''}`;
    });
    expect(tree).toEqual([
      'document  < - ',
      'paragraph  < document ',
      'section A < document ',
      'paragraph A < section A',
      'section A/A1 < section A',
      'paragraph A/A1 < section A/A1',
      'section A/A1/A1x < section A/A1',
      'paragraph A/A1/A1x < section A/A1/A1x',
      'section A/A2 < section A',
      'paragraph A/A2 < section A/A2',
      'section B < document ',
      'paragraph B < section B',
    ]);
    const sectionA = nodes[2];
    expect(text.slice(sectionA?.start, sectionA?.end)).toBe(
      body.slice(body.indexOf('# A'), body.indexOf('# B')).trim(),
    );
  });

  it('lets a heading right above a deeper one lead the deeper text', () => {
    const { text, nodes } = chunk('# Guide\n\n## Setup\n\nInstall it.\n\n# Empty\n\n# Last\n\nend');
    const contents = paragraphsOf(nodes).map(({ start, end }) => text.slice(start, end));
    expect(contents).toEqual(['# Guide\n\n## Setup\n\nInstall it.', '# Empty', '# Last\n\nend']);
    expect(sectionsOf(nodes).map(({ sectionPath }) => sectionPath)).toEqual([
      ['Guide'],
      ['Guide', 'Setup'],
      ['Empty'],
      ['Last'],
    ]);
  });

  it('merges small neighbours up to the target and never across sections', () => {
    const small = Array.from({ length: 30 }, (_, index) => sentence(index).trim()).join('\n\n');
    const { nodes, text } = chunk(`# A\n\n${small}\n\n# B\n\n${sentence(99)}`);
    const sizes = paragraphsOf(nodes).map(({ start, end }) => countCharacters(text.slice(start, end)));
    expect(paragraphsOf(nodes).map(({ headingText }) => headingText)).toEqual(['A', 'A', 'B']);
    expect(sizes[0]).toBeGreaterThan(DEFAULT_CHUNK_LIMITS.minTokens);
    expect(sizes[0]).toBeLessThanOrEqual(DEFAULT_CHUNK_LIMITS.targetTokens);
  });

  it('splits a long paragraph between sentences', () => {
    const { text, nodes } = chunk(prose(60));
    const paragraphs = paragraphsOf(nodes);
    expect(paragraphs.length).toBeGreaterThan(3);
    for (const { start, end } of paragraphs) {
      expect(text.slice(start, end)).toMatch(/^Sentence number \d+ .*records\.$/s);
      expect(countCharacters(text.slice(start, end))).toBeGreaterThan(100);
    }
  });

  it('does not take a wrapped line for the end of a sentence', () => {
    const wrapped = Array.from(
      { length: 80 },
      (_, index) => `Rule ${index} holds for every\nrecord of the whole archive.`,
    ).join('\n');
    const { text, nodes } = chunk(wrapped, { mimeType: 'text/plain' });
    expect(paragraphsOf(nodes).length).toBeGreaterThan(1);
    for (const { start, end } of paragraphsOf(nodes)) expect(text.slice(start, end)).toMatch(/^Rule \d+ .*archive\.$/s);
  });

  it('splits tables, lists and code between lines', () => {
    const rows = Array.from({ length: 200 }, (_, index) => `| row ${index}. With a dot | Value ${index} |`).join('\n');
    const { text, nodes } = chunk(`| a | b |\n|---|---|\n${rows}`);
    expect(paragraphsOf(nodes).length).toBeGreaterThan(2);
    for (const { start, end } of paragraphsOf(nodes)) expect(text.slice(start, end)).toMatch(/^\| .* \|$/s);
  });

  it('keeps a heading with the text below it, however long that is', () => {
    const { text, nodes } = chunk(`# Heading\n\n${prose(19)}\n\n${prose(40)}`);
    const [first] = paragraphsOf(nodes);
    expect(text.slice(first?.start, first?.end)).toMatch(/^# Heading\n\nSentence number 0/);
  });

  it('cuts a giant run of characters between graphemes', () => {
    const family = '👩‍👩‍👧‍👦';
    const { text, nodes } = chunk(family.repeat(2_000), { mimeType: 'text/plain' });
    const contents = paragraphsOf(nodes).map(({ start, end }) => text.slice(start, end));
    expect(contents.length).toBeGreaterThan(10);
    for (const content of contents) expect(content.length % family.length).toBe(0);
  });

  it('indexes a section of several paragraphs only while it is short, and a wrapper of one other never', () => {
    const part = Array.from({ length: 3 }, () => prose(8)).join('\n\n');
    const limits = { targetTokens: 180, minTokens: 100 };
    const { nodes } = chunk(`# Wrapper\n\n## Short\n\n${part.slice(0, 1_500)}`, { limits });
    expect(paragraphsOf(nodes).length).toBeGreaterThan(1);
    expect(sectionsOf(nodes).map(({ headingText, indexed }) => [headingText, indexed])).toEqual([
      ['Wrapper', false],
      ['Short', true],
    ]);
    const long = chunk(`# Long\n\n${prose(80)}`);
    expect(sectionsOf(long.nodes)[0]).toMatchObject({ headingText: 'Long', indexed: false });
  });

  it('bounds the number of sections', () => {
    const { nodes } = chunk('# h\n\ntext\n\n'.repeat(50), { limits: { maxSections: 10 } });
    expect(sectionsOf(nodes)).toHaveLength(10);
  });

  it('counts the text a few times at most, in calls far fewer than its characters', () => {
    let calls = 0;
    let characters = 0;
    const countTokens = (text: string): number => {
      calls += 1;
      characters += text.length;
      return countCharacters(text);
    };
    for (const body of [
      'a\n\n'.repeat(30_000),
      'x'.repeat(100_000),
      prose(1_500),
      '字'.repeat(100_000),
      '- a\n'.repeat(25_000),
    ]) {
      calls = characters = 0;
      chunk(body, { countTokens });
      expect(calls).toBeLessThan(body.length / 20);
      expect(characters).toBeLessThan(body.length * 5);
    }
  });

  it.each([
    ['one line', 'word '.repeat(2_000_000)],
    ['one word', 'x'.repeat(10_000_000)],
    ['100,000 lines', 'a line of text\n'.repeat(100_000)],
    ['100,000 paragraphs', 'a\n\n'.repeat(100_000)],
    ['100,000 headings', '# a\n'.repeat(100_000)],
    ['wide gaps', `a${' '.repeat(300)}`.repeat(30_000)],
  ])('finishes %s', (_, body) => {
    expect(paragraphsOf(chunk(body).nodes).length).toBeGreaterThan(1);
  });

  describe('whatever the document', () => {
    const word = fc.oneof(
      fc.constantFrom(
        'Retention',
        'rule',
        'applies.',
        'to',
        'all! ',
        'records?',
        '日本語。',
        '😀',
        '👩‍👩‍👧',
        'e\u0301',
        'ﬁ',
        '\n',
      ),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
    );
    const text = fc.array(word, { minLength: 1, maxLength: 60 }).map((words) => words.join(' '));
    const block = fc.oneof(
      { weight: 4, arbitrary: text },
      text.map((content) => `${'#'.repeat(1 + (content.length % 6))} ${content.replaceAll('\n', ' ')}`),
      text.map((content) => `- ${content}\n- ${content}`),
      text.map((content) => `\`\`\`\n${content}\n\`\`\``),
      fc.integer({ min: 1, max: 400 }).map((length) => '💾x'.repeat(length)),
      fc.integer({ min: 1, max: 400 }).map((length) => ' '.repeat(length)),
      fc.constant('[ref]: http://x.y'),
    );
    const body = fc.array(block, { minLength: 1, maxLength: 25 }).map((blocks) => `x\n\n${blocks.join('\n\n')}`);
    const limits = fc.constantFrom(DEFAULT_CHUNK_LIMITS, {
      ...DEFAULT_CHUNK_LIMITS,
      targetTokens: 30,
      minTokens: 20,
      maxTokens: 40,
      sectionTokens: 50,
    });
    const mimeType = fc.constantFrom('text/markdown' as const, 'text/plain' as const, 'text/html' as const);

    const element = fc
      .tuple(fc.constantFrom('h1', 'h2', 'h4', 'p', 'div', 'li', 'td', 'pre', 'blockquote', 'b'), text)
      .map(([tag, content]) => `<${tag}>${content.replace(/[<>&]/g, (sign) => `&#${sign.charCodeAt(0)};`)}</${tag}>`);
    const page = fc.array(element, { minLength: 1, maxLength: 40 }).map((elements) => `<p>x</p>${elements.join('\n')}`);

    function expectPromises(source: string, someLimits: typeof DEFAULT_CHUNK_LIMITS, type: MimeType): void {
      const { text: normalized, nodes } = chunk(source, { limits: someLimits, mimeType: type });
      expectExactCover(normalized, paragraphsOf(nodes));
      for (const { start, end } of paragraphsOf(nodes)) {
        expect(countCharacters(normalized.slice(start, end))).toBeLessThanOrEqual(someLimits.maxTokens);
      }
      expectTree(normalized, nodes);
    }

    it('keeps every promise about offsets, coverage, size and neighbours', () => {
      fc.assert(fc.property(body, limits, mimeType, expectPromises), { numRuns: 300 });
    });

    it('keeps them for pages with headings, lists, tables and code', () => {
      fc.assert(
        fc.property(page, limits, (source, someLimits) => expectPromises(source, someLimits, 'text/html')),
        { numRuns: 200 },
      );
    });
  });
});

/** Every visible character lies in exactly one paragraph; contents are trimmed and halve no surrogate pair. */
function expectExactCover(text: string, paragraphs: readonly ChunkNode[]): void {
  let covered = 0;
  for (const { start, end } of paragraphs) {
    expect(start).toBeGreaterThanOrEqual(covered);
    expect(text.slice(covered, start).trim()).toBe('');
    const content = text.slice(start, end);
    expect(content).toBe(content.trim());
    expect(content.length).toBeGreaterThan(0);
    expect(isHalvedPair(text, start) || isHalvedPair(text, end)).toBe(false);
    covered = end;
  }
  expect(text.slice(covered).trim()).toBe('');
}

function isHalvedPair(text: string, index: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, index - 1), index + 1));
}

function expectTree(text: string, nodes: readonly ChunkNode[]): void {
  const byId = new Map(nodes.map((node) => [node.chunkId, node]));
  expect(byId.size).toBe(nodes.length);
  expect(nodes.map(({ ordinal }) => ordinal)).toEqual(nodes.map((_, index) => index));
  for (const node of nodes) {
    if (node.level === 'document') {
      expect(node).toMatchObject({ ordinal: 0, parentId: null, previousId: null, nextId: null, indexed: false });
      continue;
    }
    const parent = byId.get(node.parentId ?? '');
    expect(parent && parent.level !== 'paragraph' && parent.ordinal < node.ordinal).toBe(true);
    expect(parent && parent.start <= node.start && parent.end >= node.end).toBe(true);
    if (node.previousId !== null)
      expect(byId.get(node.previousId)).toMatchObject({ nextId: node.chunkId, level: node.level });
    if (node.nextId !== null)
      expect(byId.get(node.nextId)).toMatchObject({ previousId: node.chunkId, level: node.level });
    if (node.level === 'paragraph') expect(node.indexed).toBe(true);
    expect(node.headingText).toBe(node.sectionPath.at(-1) ?? null);
    expect(text.slice(node.start, node.end).trim()).not.toBe('');
  }
  for (const level of ['section', 'paragraph'] as const) {
    const chain = nodes.filter((node) => node.level === level);
    expect(chain.filter(({ previousId }) => previousId === null)).toHaveLength(Math.min(1, chain.length));
    expect(chain.filter(({ nextId }) => nextId === null)).toHaveLength(Math.min(1, chain.length));
  }
}
