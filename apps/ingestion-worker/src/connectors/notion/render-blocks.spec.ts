import { describe, expect, it } from '@jest/globals';
import type { NotionObject } from './notion-object.js';
import { renderBlocks, toNodes, type BlockNode } from './render-blocks.js';
import { readStatus, readTitle, renderProperties, renderSchema } from './render-properties.js';
import { renderRichText } from './render-rich-text.js';

const plain = { bold: false, italic: false, strikethrough: false, underline: false, code: false, color: 'default' };
const text = (content: string, marks: NotionObject = {}, href: string | null = null): NotionObject => ({
  type: 'text',
  text: { content, link: href === null ? null : { url: href } },
  annotations: { ...plain, ...marks },
  plain_text: content,
  href,
});
const block = (type: string, content: NotionObject, children: BlockNode[] = []): BlockNode => ({
  block: { object: 'block', id: '1-2-3', type, has_children: children.length > 0, [type]: content },
  children,
});
const words = (type: string, content: string, children: BlockNode[] = []): BlockNode =>
  block(type, { rich_text: [text(content)] }, children);

describe('renderRichText', () => {
  it('keeps marks, links, mentions and formulas, with spaces outside the marks', () => {
    expect(
      renderRichText([
        text('Decided: '),
        text('lime ', { bold: true, italic: true }),
        text('#A3E635', { code: true }),
        text(' see '),
        text('the page', {}, 'https://a.example/p'),
        {
          type: 'mention',
          mention: { type: 'user', user: { id: 'u' } },
          annotations: plain,
          plain_text: '@Ana',
          href: null,
        },
        { type: 'equation', equation: { expression: 'E=mc^2' }, annotations: plain, plain_text: 'E=mc^2', href: null },
      ]),
    ).toBe('Decided: **_lime_** `#A3E635` see [the page](https://a.example/p)@Ana$E=mc^2$');
  });

  it('takes nonsense for nothing', () => {
    expect(renderRichText(null)).toBe('');
    expect(renderRichText([null, 5, {}, { plain_text: 7 }])).toBe('');
  });
});

describe('renderBlocks', () => {
  it('nests lists, numbers them anew after a break, ticks to-dos', () => {
    expect(
      renderBlocks([
        words('numbered_list_item', 'one', [words('bulleted_list_item', 'a', [words('paragraph', 'deep')])]),
        words('numbered_list_item', 'two'),
        words('paragraph', 'break'),
        words('numbered_list_item', 'again'),
        block('to_do', { rich_text: [text('done')], checked: true }),
        block('to_do', { rich_text: [text('open')], checked: false }),
      ]),
    ).toBe('1. one\n   - a\n     deep\n2. two\n\nbreak\n\n1. again\n\n- [x] done\n- [ ] open');
  });

  it('renders headings, quotes, callouts, toggles, code and tables', () => {
    expect(
      renderBlocks([
        words('heading_1', 'Top', [words('paragraph', 'inside')]),
        words('quote', 'said\ntwice'),
        block('callout', { rich_text: [text('careful')], icon: { type: 'emoji', emoji: '⚠️' } }),
        words('toggle', 'more', [words('paragraph', 'hidden')]),
        block('code', { rich_text: [text('a ``` b')], language: 'plain text' }),
        block('divider', {}),
        block('table', { table_width: 2, has_column_header: true }, [
          block('table_row', { cells: [[text('Tier')], [text('Price | year')]] }),
          block('table_row', { cells: [[text('Growth')], []] }),
        ]),
      ]),
    ).toBe(
      [
        '## Top\n\ninside',
        '> said\n> twice',
        '> ⚠️ careful',
        'more\n\nhidden',
        '````\na ``` b\n````',
        '| Tier | Price \\| year |\n| --- | --- |\n| Growth |  |',
      ].join('\n\n'),
    );
  });

  it('gives pages, databases, files and bookmarks as links, and layout as what it holds', () => {
    expect(
      renderBlocks([
        block('child_page', { title: 'Runbooks' }),
        block('image', { type: 'external', external: { url: 'https://a.example/i.png' }, caption: [text('Mock')] }),
        block('file', { type: 'file', file: { url: 'https://s3.example/x/Plan%20B.pdf?sig=1' }, name: '' }),
        block('bookmark', { url: 'https://b.example/', caption: [] }),
        block('column_list', {}, [block('column', {}, [words('paragraph', 'left')])]),
        block('unsupported', {}),
        words('something_new', 'still text'),
      ]),
    ).toBe(
      [
        '[Runbooks](https://www.notion.so/123)',
        '[image] [Mock](https://a.example/i.png)',
        '[file] Plan B.pdf',
        '<https://b.example/>',
        'left',
        'still text',
      ].join('\n\n'),
    );
  });

  it('reads the form of older versions', () => {
    expect(
      renderBlocks(toNodes([{ type: 'heading_1', heading_1: { text: [text('Heading1')] } }, null, { type: 7 }])),
    ).toBe('## Heading1');
  });
});

describe('properties', () => {
  const names = {
    user: (id: string) => (id === 'u1' ? 'Ana' : null),
    page: (id: string) => (id === 'p1' ? 'Board' : null),
  };

  it('renders each kind of value', () => {
    const properties = {
      Name: { type: 'title', title: [text('Row')] },
      Notes: { type: 'rich_text', rich_text: [text('two\nlines')] },
      Points: { type: 'number', number: 0 },
      Status: { type: 'status', status: { name: 'Done' } },
      Tags: { type: 'multi_select', multi_select: [{ name: 'a' }, { name: 'b' }] },
      When: { type: 'date', date: { start: '2026-01-01', end: '2026-01-02' } },
      Who: { type: 'people', people: [{ id: 'u1' }, { id: 'u2' }, { id: 'u3', name: 'Ben' }] },
      Docs: { type: 'files', files: [{ name: 'plan.pdf' }] },
      Ready: { type: 'checkbox', checkbox: false },
      Parent: { type: 'relation', relation: [{ id: 'p1' }, { id: 'p9' }] },
      Sum: {
        type: 'rollup',
        rollup: {
          type: 'array',
          array: [
            { type: 'number', number: 1 },
            { type: 'number', number: 2 },
          ],
        },
      },
      Calc: { type: 'formula', formula: { type: 'boolean', boolean: true } },
      Key: { type: 'unique_id', unique_id: { prefix: 'CAN', number: 7 } },
      Link: { type: 'url', url: 'https://a.example' },
      Empty: { type: 'select', select: null },
      Odd: null,
    };
    expect(renderProperties(properties, names).split('\n')).toEqual([
      '- Notes: two lines',
      '- Points: 0',
      '- Status: Done',
      '- Tags: a, b',
      '- When: 2026-01-01 to 2026-01-02',
      '- Who: Ana, u2, Ben',
      '- Docs: plan.pdf',
      '- Ready: no',
      '- Parent: Board, p9',
      '- Sum: 1, 2',
      '- Calc: yes',
      '- Key: CAN-7',
      '- Link: https://a.example',
    ]);
    expect(readTitle({ properties })).toBe('Row');
    expect(readTitle({ properties: {} })).toBe('Untitled');
    expect(
      renderSchema({ Status: { type: 'select', select: { options: [{ name: 'Todo' }, { name: 'Done' }] } } }),
    ).toBe('- Status (select: Todo, Done)');
  });
});

describe('readStatus', () => {
  const choice = (type: string, name: string): NotionObject => ({ type, [type]: { name, color: 'default' } });

  it.each([
    ['its property for that', { Phase: choice('status', 'In review') }, 'In review'],
    ['a choice that is named so', { Owner: choice('select', 'Raj'), Status: choice('select', 'Done') }, 'Done'],
    ['its property for that before a choice', { status: choice('select', 'x'), S: choice('status', 'y') }, 'y'],
    ['nothing when none is chosen', { Status: { type: 'status', status: null } }, null],
    ['nothing in a choice of another name', { Phase: choice('select', 'Done') }, null],
    ['nothing in nonsense', { Status: 5, title: { type: 'title', title: [] } }, null],
  ])('is %s', (_what, properties, status) => {
    expect(readStatus(properties)).toBe(status);
  });
});
