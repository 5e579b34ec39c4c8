import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import type { IngestDocument } from '@candor/contracts';
import { openExport, type ExportItem } from './export-source.js';
import { isNotionExport, readNotionExport } from './read-notion-export.js';

const HOME = '0123456789abcdef0123456789abcdef';
const SUB = 'fedcba9876543210fedcba9876543210';
const DATABASE = '00112233445566778899aabbccddeeff';
const FILES: Record<string, string> = {
  [`Home ${HOME}.md`]: `# Home\n\nSee [Travel](Home%20${HOME}/Travel%20rules%20${SUB}.md), [the web](https://x.example/a.md) and [a list](Home%20${HOME}/Trips%20${DATABASE}.csv).`,
  [`Home ${HOME}/Travel rules ${SUB}.md`]: 'No heading here, just rules.',
  [`Home ${HOME}/Trips ${DATABASE}.csv`]: 'Name,Days\nOslo,3\n',
  [`Home ${HOME}/Trips ${DATABASE}_all.csv`]: '\ufeffName,Days\nOslo,3\nRome,5\n',
  [`Home ${HOME}/map.png`]: 'not really',
  [`Home ${HOME}/Empty ${'a'.repeat(32)}.md`]: ' ',
};

describe('readNotionExport', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'notion-export-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const pack = (files: Record<string, string | Uint8Array>): Uint8Array =>
    zipSync(
      Object.fromEntries(
        Object.entries(files).map(([name, content]) => [
          name,
          typeof content === 'string' ? strToU8(content) : content,
        ]),
      ),
    );
  async function read(path: string): Promise<ExportItem[]> {
    const source = await openExport(path);
    expect(isNotionExport(source)).toBe(true);
    const items: ExportItem[] = [];
    for await (const item of readNotionExport(source, { workspace: 'Acme' })) items.push(item);
    return items;
  }
  async function readZip(files: Record<string, string | Uint8Array>): Promise<ExportItem[]> {
    const path = join(folder, 'export.zip');
    await writeFile(path, pack(files));
    return read(path);
  }
  const documentsOf = (items: readonly ExportItem[]): Map<string, IngestDocument> =>
    new Map(items.flatMap((item) => (item.kind === 'document' ? [[item.document.title, item.document]] : [])));

  it('makes a document of each page, named and linked as in Notion', async () => {
    const documents = documentsOf(await readZip(FILES));
    expect([...documents.keys()].sort()).toEqual(['Home', 'Travel rules', 'Trips']);
    expect(documents.get('Home')).toMatchObject({
      provider: 'notion',
      externalId: '01234567-89ab-cdef-0123-456789abcdef',
      url: `https://www.notion.so/${HOME}`,
      mimeType: 'text/markdown',
      body: `# Home\n\nSee [Travel](https://www.notion.so/${SUB}), [the web](https://x.example/a.md) and [a list](https://www.notion.so/${DATABASE}).`,
      accessPolicy: { provider: 'notion', mode: 'provider_scope', workspace: 'Acme' },
      metadata: { path: [], kind: 'page' },
    });
    expect(documents.get('Travel rules')?.metadata).toEqual({ path: ['Home'], kind: 'page' });
  });

  it('takes a database once, whole, with rows that name their columns', async () => {
    const documents = documentsOf(await readZip(FILES));
    expect(documents.get('Trips')).toMatchObject({
      externalId: '00112233-4455-6677-8899-aabbccddeeff',
      body: 'Name | Days\n\nName: Oslo | Days: 3\n\nName: Rome | Days: 5',
      metadata: { path: ['Home'], kind: 'database' },
    });
  });

  it('says what it leaves out', async () => {
    const others = (await readZip(FILES)).filter(({ kind }) => kind !== 'document');
    expect(others.map((item) => item.kind)).toEqual(['skipped', 'skipped']);
  });

  it('reads the archives within the archive of a large export, and an unpacked one', async () => {
    const nested = await readZip({
      'Part-1.zip': pack({ [`Home ${HOME}.md`]: '# Home\n\nHi' }),
      'Part-2.zip': pack(FILES),
    });
    expect(documentsOf(nested).size).toBe(3);
    const unpacked = join(folder, 'unpacked');
    for (const [name, content] of Object.entries(FILES)) {
      await mkdir(dirname(join(unpacked, name)), { recursive: true });
      await writeFile(join(unpacked, name), content);
    }
    expect(documentsOf(await read(unpacked)).size).toBe(3);
  });
});
