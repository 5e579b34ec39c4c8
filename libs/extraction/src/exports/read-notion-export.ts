import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { AppError, type IngestDocument } from '@candor/contracts';
import { finishFileText } from '../formats/file-text.js';
import { readCsv } from '../formats/read-csv.js';
import { readHtml } from '../formats/read-html.js';
import { describeMarkdown, readMarkdown } from '../formats/read-markdown.js';
import type { ExportItem, ExportSource } from './export-source.js';
import { parseNotionPath, toNotionUrl } from './notion-page-path.js';

export interface NotionExportOptions {
  /** Kept in the access policy. */
  workspace?: string;
}

const ID_IN_NAME = /[ _-]?[0-9a-f]{32}(?:_all)?\.(?:md|csv|html)$/;

export function isNotionExport(source: ExportSource): boolean {
  return source.names.some((name) => ID_IN_NAME.test(name));
}

/** One document a page and a database, with the ids that the Notion connector gives. */
export async function* readNotionExport(
  source: ExportSource,
  options: NotionExportOptions = {},
): AsyncGenerator<ExportItem> {
  const names = new Set(source.names);
  for (const name of source.names) {
    const ending = posix.extname(name).toLowerCase();
    // The same database twice: as it is filtered in its view, and whole.
    if (ending === '.csv' && !name.endsWith('_all.csv') && names.has(name.replace(/\.csv$/, '_all.csv'))) continue;
    if (posix.basename(name) === 'index.html') continue;
    if (ending !== '.md' && ending !== '.csv' && ending !== '.html') {
      yield { kind: 'skipped', name, message: 'Files attached to pages are not imported.' };
      continue;
    }
    try {
      yield { kind: 'document', document: toDocument(name, await source.read(name), options) };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const kind = error.code === 'EXTRACT.EMPTY' ? 'skipped' : 'problem';
      yield { kind, name, message: error.message };
    }
  }
}

function toDocument(name: string, bytes: Buffer, { workspace }: NotionExportOptions): IngestDocument {
  const path = parseNotionPath(name);
  const read = finishFileText(readPage(name, bytes));
  const markdownTitle = read.mimeType === 'text/markdown' ? describeMarkdown(read.body).title : read.title;
  const folder = posix.dirname(name);
  return {
    provider: 'notion',
    sourceKind: 'document',
    externalId: path.id ?? `export:${createHash('sha256').update(name).digest('hex').slice(0, 32)}`,
    title: (markdownTitle ?? path.title).slice(0, 1_000) || 'Untitled',
    body: read.mimeType === 'text/markdown' ? linkPages(read.body, folder) : read.body,
    mimeType: read.mimeType,
    url: path.id === null ? null : toNotionUrl(path.id),
    accessPolicy: { provider: 'notion', mode: 'provider_scope', ...(workspace === undefined ? {} : { workspace }) },
    metadata: { path: path.parents, kind: name.endsWith('.csv') ? 'database' : 'page' },
  };
}

function readPage(name: string, bytes: Buffer): ReturnType<typeof readCsv> {
  if (name.toLowerCase().endsWith('.csv')) return readCsv(bytes, '');
  return name.toLowerCase().endsWith('.html') ? readHtml(bytes, '') : readMarkdown(bytes, '');
}

/** Links between the files of the export become links to the pages. */
function linkPages(body: string, folder: string): string {
  return body.replace(/\]\(((?!https?:|mailto:|#)[^)\s]{1,2000}\.(?:md|csv))\)/g, (whole, target: string) => {
    const { id } = parseNotionPath(posix.join(folder, decodePath(target)));
    return id === null ? whole : `](${toNotionUrl(id)})`;
  });
}

function decodePath(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return target;
  }
}
