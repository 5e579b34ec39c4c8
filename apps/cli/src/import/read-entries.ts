import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { AppError } from '@candor/contracts';
import {
  isNotionExport,
  isSlackExport,
  openExport,
  readMboxExport,
  readNotionExport,
  readSlackExport,
  type ExportItem,
  type ExportSource,
  type FileReader,
} from '@candor/extraction';
import type { ImportEntry, ReadOptions } from './import-entry.js';
import { listFiles } from './list-files.js';
import { beginsWithDocument, readDocumentLines } from './read-document-lines.js';

/** Everything under the given paths and patterns, in order, read while it is asked for. */
export async function* readEntries(
  targets: readonly string[],
  options: ReadOptions,
  reader: FileReader,
): AsyncGenerator<ImportEntry> {
  for (const target of targets) {
    const found = await stat(target).catch(() => null);
    if (found === null) yield* listFiles(target, options.prefix);
    else yield* readTarget(target, found.isDirectory(), options, reader);
  }
}

async function* readTarget(
  path: string,
  isFolder: boolean,
  options: ReadOptions,
  reader: FileReader,
): AsyncGenerator<ImportEntry> {
  const kind = options.as === 'auto' ? await recognize(path, isFolder) : options.as;
  if (kind === 'documents') yield* readDocumentLines(path);
  else if (kind === 'mbox')
    yield* toEntries(readMboxExport(createReadStream(path), (file) => reader.read(file), options));
  else if (kind === 'files') yield* listFiles(path, options.prefix);
  else yield* toEntries(readExport(path, kind, await openExport(path), options));
}

async function recognize(path: string, isFolder: boolean): Promise<Exclude<ReadOptions['as'], 'auto'>> {
  const ending = extname(path).toLowerCase();
  if (ending === '.mbox') return 'mbox';
  if (ending === '.ndjson' || ending === '.jsonl') return (await beginsWithDocument(path)) ? 'documents' : 'files';
  if (!isFolder && ending !== '.zip') return 'files';
  const source = await openExport(path);
  if (isSlackExport(source)) return 'slack';
  if (isNotionExport(source)) return 'notion';
  if (isFolder) return 'files';
  throw new AppError('REQUEST.INVALID', {
    message: `${basename(path)} is neither a Slack nor a Notion export. Unpack it to import the files in it.`,
  });
}

function readExport(
  path: string,
  kind: 'slack' | 'notion',
  source: ExportSource,
  options: ReadOptions,
): AsyncGenerator<ExportItem> {
  if (kind === 'notion') return readNotionExport(source, options);
  if (isSlackExport(source)) return readSlackExport(source, options);
  throw new AppError('REQUEST.INVALID', { message: `${basename(path)} is not a Slack export: it lists no channels.` });
}

async function* toEntries(items: AsyncGenerator<ExportItem>): AsyncGenerator<ImportEntry> {
  for await (const item of items) {
    yield item.kind === 'document' ? { ...item, name: item.document.title } : item;
  }
}
