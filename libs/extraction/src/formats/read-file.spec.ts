import { afterAll, describe, expect, it, jest } from '@jest/globals';
import iconv from 'iconv-lite';
import { FileReader } from '../sandbox/file-reader.js';
import { fixture, textFile } from '../testing/fixtures.js';
import type { FileText } from './file-text.js';

jest.setTimeout(120_000);

/** Through the child process, as the worker reads them. */
const reader = new FileReader();
afterAll(() => reader.close());

const read = (path: string): Promise<FileText> => reader.read(fixture(path));
const readText = (...file: Parameters<typeof textFile>): Promise<FileText> => reader.read(textFile(...file));

describe('readFile', () => {
  it('reads PDF: lines and paragraphs as they stand on the page', async () => {
    expect(await read('unstructured/fake-memo.pdf')).toEqual({
      title: 'fake-memo',
      authorName: null,
      body:
        'May 5, 2023\n\nTo Whom it May Concern:\n\nThere were 20,000 bottles of water, 10,000 blankets, and 200 laptops ' +
        'delivered on January 23,\n2023. A total of 3 trucks were used for 15 hours.\n\nBest Regards,\n\nMallori',
      mimeType: 'text/plain',
      warnings: [],
    });
  });

  it('reads DOCX: headings, lists and tables', async () => {
    const headings = await read('unstructured/category-level.docx');
    expect(headings).toMatchObject({ title: null, authorName: null, mimeType: 'text/html' });
    expect(headings.body).toContain('<h1>A Heading 1</h1>');
    expect(headings.body).toContain('<li>A top level list item<ul><li>Next level</li>');
    const tables = await read('unstructured/docx-tables.docx');
    expect(tables.body).toContain('<td><p>Header Col 1</p></td><td><p>Header Col 2</p></td>');
  });

  it('reads XLSX: each sheet with rows that name their columns', async () => {
    expect((await read('unstructured/stanley-cups.xlsx')).body).toBe(
      [
        '## Stanley Cups',
        'Stanley Cups',
        'Team | Location | Stanley Cups',
        'Team: Blues | Location: STL | Stanley Cups: 1',
        'Team: Flyers | Location: PHI | Stanley Cups: 2',
        'Team: Maple Leafs | Location: TOR | Stanley Cups: 13',
        '## Stanley Cups Since 67',
        'Stanley Cups Since 67',
        'Team | Location | Stanley Cups',
        'Team: Blues | Location: STL | Stanley Cups: 1',
        'Team: Flyers | Location: PHI | Stanley Cups: 2',
        'Team: Maple Leafs | Location: TOR | Stanley Cups: 0',
      ].join('\n\n'),
    );
  });

  it('reads PPTX: each slide with its title', async () => {
    expect(await read('unstructured/simple.pptx')).toMatchObject({
      title: 'Title Slide',
      authorName: 'Steve Canny',
      mimeType: 'text/markdown',
      body:
        '## Title Slide\n\nWith a subtitle\n\n## Things to think about\n\nHow much is enough?\nIf not now when?\n' +
        'Where have all the flowers gone?\nWho do you think you are?\nWhat were you thinking?',
    });
  });

  it('reads ODT and RTF', async () => {
    const odt = await read('unstructured/fake.odt');
    expect(odt.mimeType).toBe('text/html');
    expect(odt.body).toContain('<p>Lorem ipsum dolor sit amet.</p>');
    expect(odt.body).toContain(
      '<tr><td><p>Leader</p></td><td><p>Sarah</p></td><td><p>Mark</p></td><td><p>Ryan</p></td></tr>',
    );
    expect((await read('unstructured/fake-doc.rtf')).body).toBe(
      'My First Heading\n\nMy first paragraph.\n\nTable Example:\n\nColumn 1 | Column 2\n\nRow 1, Cell 1 | Row 1, Cell 2\n\n' +
        'Row 2, Cell 1 | Row 2, Cell 2',
    );
    const unicode = String.raw`{\rtf1\ansi\ansicpg1252\uc1{\info{\title Pl\'e4ne}{\author Ada}}{\fonttbl{\f0 Arial;}}Gr\'fc\'dfe \u1513?\u1500?\u8364?{\*\hidden secret}\par next}`;
    expect(await readText('plan.rtf', unicode)).toMatchObject({
      title: 'Pläne',
      authorName: 'Ada',
      body: 'Grüße של€\n\nnext',
    });
  });

  it('reads CSV in UTF-16 and with semicolons', async () => {
    expect((await read('unstructured/stanley-cups-utf-16.csv')).body).toContain(
      'Team: Maple Leafs | Location: TOR | Stanley Cups: 13',
    );
    expect((await read('unstructured/semicolon-delimited.csv')).body).toContain(
      'Lorem, ipsum: ut labore | dolor sit: et, dolore | amet: magna aliqua',
    );
  });

  it('reads mails with attachments, forwarded mails and other charsets', async () => {
    expect(await read('unstructured/fake-email-attachment.eml')).toMatchObject({
      title: 'Fake email with attachment',
      authorName: 'Mallori Harrell',
      body: expect.stringMatching(
        /^From: .*\n.*\nDate: 2022-12-23T18:08:48.000Z[^]*Mallori\n\nAttachment fake-attachment.txt:\n\nHey this is a fake attachment!$/,
      ),
    });
    const forwarded = await read('mail/attachment_message_rfc822.eml');
    expect(forwarded.body).toContain('Attachment ForwardedMessage.eml:\n\nFrom: "Test Tester"');
    expect(forwarded.warnings).toEqual([
      'Attachment ForwardedMessage.eml: Attachment broken.pdf was left out: The PDF is damaged and could not be read.',
    ]);
    expect((await read('mail/japanese_shift_jis.eml')).body).toContain('このメールはテスト用のメールです。');
    expect(await read('mail/japanese_iso_2022.eml')).toMatchObject({
      title: 'まみむめも',
      body: expect.stringContaining('すみません。'),
    });
    expect((await read('mail/raw_email_reply.eml')).body).toMatch(/\n\nMessage body$/);
  });

  it('gives the same text for a mail whose date is unreadable, whenever it is read', async () => {
    const mail = 'From: a@x.org\nDate: some day in spring\nSubject: When\n\nText';
    expect((await readText('a.eml', mail)).body).toBe('From: a@x.org\nSubject: When\n\nText');
  });

  it('says when a mail has more HTML than is read', async () => {
    const mail = (body: string) => `From: a@x.org\nSubject: Long\nContent-Type: text/html\n\n<p>Begin</p>${body}`;
    const { body, warnings } = await readText(
      'a.eml',
      mail(`<p title="${'many words\n'.repeat(460_000)}"></p><p>End</p>`),
    );
    expect(body).toContain('Begin');
    expect(body).not.toContain('End');
    expect(warnings).toEqual(['Only the first 5000000 characters of its HTML were read.']);
    expect((await readText('a.eml', mail('<p>End</p>'))).warnings).toEqual([]);
  });

  it('reads HTML in the charset that it states, else as it looks', async () => {
    expect((await read('unstructured/fake-html-cp1252.html')).body).toContain('Der Preis betrug 15,50 €.');
    const hebrew = iconv.encode('<meta charset="iso-8859-8"><title>דוח</title><p>שלום עולם</p>', 'iso-8859-8');
    expect(await readText('a.html', hebrew)).toMatchObject({
      title: 'דוח',
      body: expect.stringContaining('שלום עולם'),
      warnings: [],
    });
    const japanese = iconv.encode('<h1>見出し</h1><p>本文です。</p>', 'shift_jis');
    expect(await readText('a.html', japanese, 'text/html; charset=Shift_JIS')).toMatchObject({
      title: '見出し',
      warnings: [],
    });
  });

  it('leaves inlined pictures out of HTML', async () => {
    const { body } = await readText(
      'a.html',
      `<p>a</p><img src="data:image/png;base64,${'A'.repeat(11_000_000)}"><p>b</p>`,
    );
    expect(body).toBe('<p>a</p><img src="data:,"><p>b</p>');
  });

  it('reads JSON with every digit, NDJSON record by record, XML by element', async () => {
    const json = '{"id":12345678901234567890,"rate":1.10,"tags":["a","b"],"owner":{"name":"Ada","since":null}}';
    expect((await readText('a.json', json)).body).toBe(
      'id: 12345678901234567890\nrate: 1.10\ntags: a, b\n\nowner\nname: Ada\nsince: null',
    );
    expect(await readText('a.json', '{"half": ')).toMatchObject({
      body: '{"half": ',
      warnings: ['The file is not valid JSON; it was taken as plain text.'],
    });
    expect((await read('unstructured/arbitrary-records.ndjson')).body.split('\n\n')[1]).toBe(
      'sku: GRD-1290\nname: Watering Can\nprice: 18.0\nin_stock: false',
    );
    expect((await read('unstructured/factbook-utf-16.xml')).body).toContain('name: Canada\ncapital: Ottawa');
  });

  it.each<[string, string, string | null, string | null]>([
    ['---\ntitle: "The plan"\nauthor: Ada\n---\n\n# Other', 'front matter', 'The plan', 'Ada'],
    ['# The *big* [plan](http://x.y)\n\nText', 'a first heading', 'The big plan', null],
    ['The plan\n========\n', 'an underlined heading', 'The plan', null],
    ['Text\n\n# Later', 'no title at its beginning', null, null],
  ])('finds the title of Markdown: %#', async (body, _name, title, authorName) => {
    expect(await readText('a.md', body)).toMatchObject({ title, authorName, body });
  });

  it.each<[string, string, string]>([
    ['unstructured/password.pdf', 'EXTRACT.ENCRYPTED', 'The PDF is protected with a password.'],
    ['unstructured/password_protected.xlsx', 'EXTRACT.ENCRYPTED', 'The file is protected with a password.'],
    ['unstructured/fake-encrypted.eml', 'EXTRACT.ENCRYPTED', 'The message is encrypted.'],
  ])('says of %s that it is encrypted', async (path, code, message) => {
    await expect(read(path)).rejects.toMatchObject({ code, message, retryable: false });
  });

  it.each(['fake-memo.pdf', 'docx-tables.docx', 'stanley-cups.xlsx', 'simple.pptx', 'fake.odt'])(
    'says of half of %s that it is damaged',
    async (name) => {
      const file = fixture(`unstructured/${name}`);
      const half = { ...file, bytes: file.bytes.subarray(0, Math.floor(file.bytes.length / 2)) };
      // A PDF whose end is lost may still have pages that can be found.
      const outcome = await reader.read(half).catch((error: unknown) => error);
      if (name.endsWith('.pdf') && !(outcome instanceof Error)) return;
      expect(outcome).toMatchObject({ code: expect.stringMatching(/^EXTRACT\.(UNREADABLE|EMPTY)$/), retryable: false });
    },
  );

  it.each<[string, string]>([
    ['a.txt', ' \r\n\t\u00a0'],
    ['a.csv', ',,\n,,'],
    ['a.json', '[]'],
    ['a.xml', '<a><b/></a>'],
  ])('says of %s without text that it is empty', async (name, content) => {
    await expect(readText(name, content)).rejects.toMatchObject({ code: 'EXTRACT.EMPTY' });
  });

  it('leaves no character behind that a database refuses', async () => {
    const { body, title } = await readText('a.html', '<title>a\ud800b</title><p>NUL: &#0;|\u0000|lone: \udc00|</p>');
    expect(`${body}${title}`).not.toMatch(/\0|[\ud800-\udfff]/);
  });

  it.each([
    '',
    'undefined',
    '\u202eright to left',
    '👩‍👩‍👧‍👦',
    'e\u0301',
    '﷽',
    '\u2028\u2029',
    '田中さんにあげて下さい',
    '`${7*7}`',
    '<script>alert(1)</script>',
    "'; DROP TABLE items; --",
    '%00%s%n',
    '\u200b\ufeffhidden',
    'Ω≈ç√∫˜µ≤≥÷',
    '\\u0000',
    '../../etc/passwd',
  ])('keeps %j as it is', async (text) => {
    const body = `Line with ${text} in it\nand another.`;
    expect((await readText('a.txt', body)).body).toBe(body);
    expect((await readText('a.csv', `name,value\nx,"|${text.replaceAll('"', '""')}|"`)).body).toContain(
      'name: x | value: |',
    );
    expect((await readText('a.json', JSON.stringify({ value: `|${text}|` }))).body).toBe(`value: |${text}|`);
  });
});
