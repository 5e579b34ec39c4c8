import { open as openZipPath, type ZipFile } from 'yauzl';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { AppError, type IngestDocument } from '@candor/contracts';
import { indexZip, openZip, type ZipArchive, type ZipLimits } from '../formats/zip-archive.js';

/** What an export holds, in its zip or unpacked in a folder. */
export interface ExportSource {
  /** With `/` between folders. */
  readonly names: readonly string[];
  read(name: string): Promise<Buffer>;
}

/** One thing found in an export: a document to push, or what could not be made one. */
export type ExportItem =
  | { kind: 'document'; document: IngestDocument }
  | { kind: 'problem'; name: string; message: string }
  /** Left out on purpose: nothing to search in it. */
  | { kind: 'skipped'; name: string; message: string };

const MEBIBYTE = 1024 * 1024;
/** An export is its owner's own, and may be large; one entry at a time is in memory. */
export const EXPORT_LIMITS: ZipLimits = {
  entries: 2_000_000,
  entryBytes: 512 * MEBIBYTE,
  totalBytes: Number.MAX_SAFE_INTEGER,
  ratio: 2_000,
};

/** @throws AppError EXTRACT.UNREADABLE when the path is neither a folder nor a zip archive. */
export async function openExport(path: string): Promise<ExportSource> {
  if ((await stat(path)).isDirectory()) return openFolder(path);
  return unwrap(await indexZip(await openZipFile(path), EXPORT_LIMITS));
}

async function openFolder(root: string): Promise<ExportSource> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length).split(sep).filter(Boolean).join('/'));
  return { names: names.sort(), read: (name) => readFile(join(root, name)) };
}

function openZipFile(path: string): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    openZipPath(path, { lazyEntries: true, autoClose: false }, (cause, zip) => {
      if (cause) reject(new AppError('EXTRACT.UNREADABLE', { message: `${path} is not a zip archive.`, cause }));
      else resolve(zip);
    });
  });
}

/** Notion packs large exports as archives within the archive. */
async function unwrap(archive: ZipArchive): Promise<ExportSource> {
  const names = archive.names.filter((name) => !name.endsWith('/') && !name.startsWith('__MACOSX/'));
  if (names.length === 0 || !names.every((name) => name.endsWith('.zip'))) {
    return { names, read: (name) => archive.read(name) };
  }
  const parts = new Map<string, ZipArchive>();
  for (const name of names) {
    const part = await openZip(await archive.read(name), EXPORT_LIMITS);
    for (const inner of part.names) if (!inner.endsWith('/')) parts.set(inner, part);
  }
  return { names: [...parts.keys()], read: (name) => requirePart(parts, name).read(name) };
}

function requirePart(parts: ReadonlyMap<string, ZipArchive>, name: string): ZipArchive {
  const part = parts.get(name);
  if (!part) throw new AppError('EXTRACT.UNREADABLE', { message: `The export lacks ${name}.` });
  return part;
}
