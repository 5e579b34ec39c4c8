import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FileReader } from '@candor/extraction';
import { chunkDocument, type ChunkNode } from './chunk-document.js';
import { extractText } from './extract-text.js';

jest.setTimeout(120_000);

const FIXTURES = fileURLToPath(new URL('../../../../../libs/extraction/fixtures/', import.meta.url));
const reader = new FileReader();
afterAll(() => reader.close());

/** From bytes to chunks, as the extract and index stages do it. */
async function chunk(path: string): Promise<{ text: string; chunks: { content: string; node: ChunkNode }[] }> {
  const name = basename(path);
  const file = await reader.read({ name, mediaType: '', bytes: readFileSync(`${FIXTURES}${path}`) });
  const title = file.title ?? name;
  const { text, blocks } = extractText({ title, body: file.body, mimeType: file.mimeType });
  const nodes = chunkDocument({
    itemId: '0192f0c1-2b3d-7e4f-8a5b-6c7d8e9f0a1b',
    version: 1,
    title,
    text,
    blocks,
    countTokens: (part: string) => Math.ceil(part.length / 4),
  });
  return { text, chunks: nodes.map((node) => ({ node, content: text.slice(node.start, node.end) })) };
}

describe('chunks of files', () => {
  it.each<[string, string, string[]]>([
    ['unstructured/fake-memo.pdf', 'There were 20,000 bottles of water, 10,000 blankets, and 200 laptops', []],
    ['unstructured/category-level.docx', 'This is my substitute for pistol and ball.', ['A Heading 1']],
    ['unstructured/docx-tables.docx', 'Header Col 1 | Header Col 2', []],
    ['unstructured/stanley-cups.xlsx', 'Team: Maple Leafs | Location: TOR | Stanley Cups: 13', ['Stanley Cups']],
    ['unstructured/simple.pptx', 'Where have all the flowers gone?', ['Things to think about']],
    ['unstructured/fake.odt', 'Leader | Sarah | Mark | Ryan', []],
    ['unstructured/fake-doc.rtf', 'Row 2, Cell 1 | Row 2, Cell 2', []],
    ['unstructured/semicolon-delimited.csv', 'Lorem, ipsum: Ut enim | dolor sit: ad minim | amet: veniam, quis', []],
    ['unstructured/fake-email-attachment.eml', 'Hey this is a fake attachment!', []],
    ['unstructured/fake-html-cp1252.html', 'Der Preis betrug 15,50 €.', ['My First Heading']],
    ['unstructured/factbook-utf-16.xml', 'leader: Justin Trudeau', []],
    ['mail/japanese_shift_jis.eml', 'このメールはテスト用のメールです。', []],
  ])('say where %s says it', async (path, sentence, sectionPath) => {
    const { text, chunks } = await chunk(path);
    expect(text).toContain(sentence);
    const indexed = chunks.filter(({ node }) => node.indexed);
    const found = indexed.filter(({ content }) => content.includes(sentence));
    expect(found.length).toBeGreaterThan(0);
    expect(found[0]?.node.sectionPath.slice(-sectionPath.length || Infinity)).toEqual(sectionPath);
    for (const { node, content } of chunks) {
      expect(content).toBe(content.trim());
      expect(node.end).toBeGreaterThan(node.start);
    }
  });
});
