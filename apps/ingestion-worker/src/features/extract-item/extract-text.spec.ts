import { describe, expect, it } from '@jest/globals';
import { AppError } from '@candor/contracts';
import fc from 'fast-check';
import { extractText, type Extraction } from './extract-text.js';

type MimeType = 'text/plain' | 'text/markdown' | 'text/html';

const extract = (body: string, mimeType: MimeType): Extraction => extractText({ title: 'Title', body, mimeType });

/** `kind+level:content` a block. */
const describeBlocks = ({ text, blocks }: Extraction): string[] =>
  blocks.map(({ kind, level, start, end }) => `${kind}${level ?? ''}:${text.slice(start, end)}`);

const expectLawful = ({ text, blocks }: Extraction): void => {
  let previousEnd = 0;
  for (const { start, end } of blocks) {
    expect(start).toBeGreaterThanOrEqual(previousEnd);
    expect(end).toBeGreaterThan(start);
    expect(text.slice(start, end)).toBe(text.slice(start, end).trim());
    previousEnd = end;
  }
  expect(previousEnd).toBeLessThanOrEqual(text.length);
};

describe('extractText', () => {
  describe('plain text', () => {
    it('parts paragraphs at blank lines and keeps the lines of a chat together', () => {
      const extraction = extract('  Ann: hi\nBob: hello  \n \t\n\nAnn: bye\n', 'text/plain');
      expect(describeBlocks(extraction)).toEqual(['paragraph:Ann: hi\nBob: hello', 'paragraph:Ann: bye']);
      expect(extraction.text).toBe('  Ann: hi\nBob: hello  \n \t\n\nAnn: bye\n');
    });

    it('turns line ends into LF and drops a byte order mark, nothing else', () => {
      const body = '\ufeffe\u0301 ﬁ\r\nＡ\rB\u00a0C \ud83d\ude00\u200d';
      expect(extract(body, 'text/plain').text).toBe('e\u0301 ﬁ\nＡ\nB\u00a0C \ud83d\ude00\u200d');
    });
  });

  describe('Markdown', () => {
    it('finds top-level blocks at their exact place and leaves the markup in the text', () => {
      const body = [
        '# The *big* [plan](http://x.y) `now`',
        'First **bold** line',
        'and second.',
        '',
        'Setext & more',
        '---',
        '- one',
        '  - nested',
        '',
        '  still one',
        '1. two',
        '',
        '> quoted',
        'lazily',
        '',
        '```sql',
        'select 1;',
        '',
        '# no heading',
        '```',
        '',
        '| a | b |',
        '|---|---|',
        '| 1 | 2 |',
        '',
        '[ref]: http://x.y',
      ].join('\r\n');
      const extraction = extract(body, 'text/markdown');
      expect(extraction.text).toBe(body.replaceAll('\r\n', '\n'));
      expect(describeBlocks(extraction)).toEqual([
        'heading1:# The *big* [plan](http://x.y) `now`',
        'paragraph:First **bold** line\nand second.',
        'heading2:Setext & more\n---',
        'list:- one\n  - nested\n\n  still one',
        'list:1. two',
        'paragraph:> quoted\nlazily',
        'code:```sql\nselect 1;\n\n# no heading\n```',
        'table:| a | b |\n|---|---|\n| 1 | 2 |',
      ]);
      const headings = extraction.blocks.map(({ headingText }) => headingText).filter((text) => text !== undefined);
      expect(headings).toEqual(['The big plan now', 'Setext & more']);
    });

    it('takes front matter for one block and not for a heading', () => {
      const extraction = extract('---\ntitle: Plan\ntags: [a]\n---\n# Plan\ntext', 'text/markdown');
      expect(describeBlocks(extraction)).toEqual([
        'code:---\ntitle: Plan\ntags: [a]\n---',
        'heading1:# Plan',
        'paragraph:text',
      ]);
      expect(describeBlocks(extract('---\n\ntext', 'text/markdown'))).toEqual(['paragraph:text']);
    });

    it('finds the same blocks in a long source as in a short one', () => {
      const part = '## Part\n\nSome text\nof two lines.\n\n~~~\ncode\n\nnot parted\n~~~\n\n- a\n\n- b\n\n';
      const short = describeBlocks(extract(part, 'text/markdown'));
      const long = describeBlocks(extract(part.repeat(3_000), 'text/markdown'));
      expect(long).toHaveLength(3_000 * short.length);
      expect(long.slice(-short.length)).toEqual(short);
      expect(new Set(long)).toEqual(new Set(short));
    });

    it('falls back to paragraphs where nothing can be parted', () => {
      const extraction = extract(`# A\n\n${'| a | b |\n'.repeat(100_000)}\n\n# B\n`, 'text/markdown');
      expectLawful(extraction);
      expect(extraction.blocks.at(-1)).toMatchObject({ kind: 'heading', headingText: 'B' });
    });
  });

  describe('HTML', () => {
    it('gives the text a reader sees', () => {
      const extraction = extract(
        `<!doctype html><html><head><title>No</title><style>p{}</style><script>var a = "<p>no</p>";</script></head>
        <body><h1>The <em>big</em>
          plan</h1>
        <p>First&nbsp;line &amp; <b>bo</b>ld<br>next &lt;line&gt; &#x1F600;</p><p>&nbsp;</p>
        <div>Loose <span>text</span></div><p hidden>hidden</p><p style="color: red; display: none">hidden</p>
        <ul><li>one<ol><li>deep</li><li><p>deeper</p></li></ol></li><li>two</li></ul>
        <pre>
  let x = 1;

    y
</pre>
        <table><caption>Prices</caption><tr><th>a</th><th></th><th><p>c</p></th></tr><tr><td></td><td>2</td></tr></table>
        <h3>End</h3>tail<!-- no --></body></html>`,
        'text/html',
      );
      expect(describeBlocks(extraction)).toEqual([
        'heading1:The big plan',
        'paragraph:First\u00a0line & bold\nnext <line> 😀',
        'paragraph:Loose text',
        'list:- one\n  1. deep\n  2. deeper\n- two',
        'code:let x = 1;\n\n    y',
        'table:Prices\na | | c\n| 2',
        'heading3:End',
        'paragraph:tail',
      ]);
      expectLawful(extraction);
    });

    it('keeps paragraphs of headings and nested tables in a layout table apart', () => {
      const extraction = extract(
        '<table><tr><td><h2>News</h2><table><tr><td>a</td><td>b</td></tr></table></td></tr><tr><td>foot</td></tr></table>',
        'text/html',
      );
      expect(describeBlocks(extraction)).toEqual(['heading2:News', 'table:a | b', 'table:foot']);
    });

    it.each([
      ['unclosed tags', '<p>a<p>b<li>c<b>d', 'a\n\nb\n\ncd'],
      ['stray closings', '</div>a</p></b>b</li>', 'a\n\nb'],
      ['half a tag at the end', 'a <b', 'a'],
      ['no tags', 'a  b\n c', 'a b c'],
      ['a lone ampersand', 'a & b &unknown; c', 'a & b &unknown; c'],
    ])('reads %s', (_, body, text) => {
      expect(extract(body, 'text/html').text).toBe(text);
    });

    it('refuses absurd nesting', () => {
      expect(() => extract(`${'<div>'.repeat(3_000)}a`, 'text/html')).toThrow(
        expect.objectContaining({ code: 'EXTRACT.UNREADABLE' }),
      );
    });
  });

  it.each<[MimeType, string]>([
    ['text/plain', ' \r\n\t\u00a0\ufeff\u200b\u0000'],
    ['text/markdown', '\n\n'],
    ['text/html', '<html><head><title>t</title></head><body><img src="x"><script>1</script>&nbsp;</body></html>'],
  ])('refuses %s without a visible character', (mimeType, body) => {
    expect(() => extract(body, mimeType)).toThrow(AppError);
    expect(() => extract(body, mimeType)).toThrow(expect.objectContaining({ code: 'EXTRACT.EMPTY' }));
  });

  it.each<[string, MimeType, string]>([
    ['one line of 10 MB', 'text/plain', 'word '.repeat(2_000_000)],
    ['one line of 10 MB', 'text/markdown', '*word* [x] '.repeat(900_000)],
    ['one line of 10 MB', 'text/html', '<b>word</b> &amp; '.repeat(600_000)],
    ['100,000 lines', 'text/plain', 'a line\n\n'.repeat(100_000)],
    ['100,000 lines', 'text/markdown', '- [ ] a line\n> q\n\n'.repeat(50_000)],
    ['100,000 lines', 'text/html', '<p>a line\n'.repeat(100_000)],
    ['unclosed brackets', 'text/markdown', '[ ![ `` ** '.repeat(100_000)],
    ['unclosed tags', 'text/html', '<'.repeat(3_000_000)],
    ['unmatched closings', 'text/html', `${'<b>'.repeat(1_900)}${'</i>'.repeat(500_000)}a`],
    ['deep quotes', 'text/markdown', `${'>'.repeat(500_000)} a`],
  ])('finishes %s of %s', (_, mimeType, body) => {
    const extraction = extract(body, mimeType);
    expect(extraction.blocks.length).toBeGreaterThan(0);
  });

  it.each<MimeType>(['text/plain', 'text/markdown', 'text/html'])(
    'bounds the blocks of %s, not the text',
    (mimeType) => {
      const body = (mimeType === 'text/html' ? '<p>a' : 'a\n\n').repeat(110_000);
      const { text, blocks } = extract(body, mimeType);
      expect(blocks).toHaveLength(100_000);
      expect(text.length).toBeGreaterThanOrEqual(329_998);
    },
  );

  it('gives blocks in order, without overlaps, trimmed, whatever the input', () => {
    const fragment = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom(
        '# h\n',
        '\n\n',
        '- i\n',
        '> q\n',
        '```\n',
        '---\n',
        '|a|b|\n|-|-|\n',
        '    c\n',
        '\r\n',
        '\u00a0',
      ),
      fc.constantFrom(
        '<p>',
        '</p>',
        '<h2>',
        '</h2>',
        '<ul><li>',
        '</ul>',
        '<table><tr><td>',
        '</table>',
        '<pre>',
        '<br>',
        '<td>',
      ),
    );
    const body = fc.array(fragment, { maxLength: 40 }).map((parts) => `x${parts.join('')}`);
    const mimeType = fc.constantFrom<MimeType>('text/plain', 'text/markdown', 'text/html');
    fc.assert(
      fc.property(body, mimeType, (source, type) => {
        const extraction = extract(source, type);
        expectLawful(extraction);
        expect(extract(source, type)).toEqual(extraction);
        if (type !== 'text/html') expect(extraction.text).toBe(source.replace(/\r\n?/g, '\n'));
      }),
      { numRuns: 400 },
    );
  });
});
