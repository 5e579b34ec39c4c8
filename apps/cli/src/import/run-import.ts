import { readFile } from 'node:fs/promises';
import { AppError, type IngestDocument } from '@candor/contracts';
import { refuseUnsupported } from '@candor/extraction';
import type { ImportGateway } from '../client/import-gateway.js';
import { toRefusal } from '../refusal.js';
import { DocumentBatch } from './document-batch.js';
import type { ImportEntry } from './import-entry.js';
import { ImportReport } from './import-report.js';

export interface ImportSettings {
  tags: readonly string[];
  /** Files sent at once. */
  concurrency: number;
  onProgress: (report: ImportReport) => void;
}

type FileEntry = Extract<ImportEntry, { kind: 'file' }>;

const MAX_FILE_BYTES = 100 * 1024 * 1024;

/**
 * Sends what is read, a bounded part at a time. What can't be sent is reported and the rest goes on; a refusal that
 * concerns everything (a key that may not, a server out of reach) ends the import, and is in its report.
 */
export async function runImport(
  entries: AsyncIterable<ImportEntry>,
  client: ImportGateway,
  settings: ImportSettings,
): Promise<ImportReport> {
  const report = new ImportReport();
  try {
    await importAll(entries, client, report, settings);
  } catch (thrown) {
    report.error = toRefusal(thrown);
  }
  settings.onProgress(report);
  return report;
}

async function importAll(
  entries: AsyncIterable<ImportEntry>,
  client: ImportGateway,
  report: ImportReport,
  settings: ImportSettings,
): Promise<void> {
  const batch = new DocumentBatch((documents) => sendDocuments(documents, client, report));
  const uploads = new Set<Promise<void>>();
  let fatal: unknown = null;
  try {
    for await (const entry of entries) {
      if (fatal !== null) break;
      report.found += 1;
      if (entry.kind === 'document') await batch.add(withTags(entry.document, settings.tags));
      else if (entry.kind === 'file') {
        const upload: Promise<void> = uploadFile(entry, client, report, settings)
          .catch((error: unknown) => void (fatal ??= error))
          .finally(() => uploads.delete(upload));
        uploads.add(upload);
        if (uploads.size >= settings.concurrency) await Promise.race(uploads);
      } else if (entry.kind === 'problem') report.failed.push({ name: entry.name, type: null, message: entry.message });
      else report.skipped.push(entry);
      settings.onProgress(report);
    }
  } finally {
    // Also after a failure: what is under way may still be accepted, and the report says so.
    await Promise.all(uploads);
  }
  if (fatal !== null) throw toError(fatal);
  await batch.flush();
}

function withTags(document: IngestDocument, tags: readonly string[]): IngestDocument {
  return tags.length === 0 ? document : { ...document, tags: [...new Set([...(document.tags ?? []), ...tags])] };
}

async function uploadFile(
  entry: FileEntry,
  client: ImportGateway,
  report: ImportReport,
  settings: ImportSettings,
): Promise<void> {
  const { name, externalId, modifiedAt, path } = entry;
  if (entry.size > MAX_FILE_BYTES) {
    report.failed.push({ name, type: null, message: 'The file is larger than 100 MiB.' });
    return;
  }
  try {
    const bytes = await readFile(path);
    await refuseUnsupported({ name, mediaType: '', bytes });
    const fileName = name.split('/').at(-1) ?? name;
    const { requestId, status } = await client.upload({
      name: fileName,
      bytes,
      externalId,
      sourceUpdatedAt: modifiedAt.toISOString(),
      tags: settings.tags,
      metadata: { path: name },
    });
    if (status === 'ready') report.unchanged += 1;
    else {
      report.accepted += 1;
      report.requestIds.push(requestId);
    }
  } catch (error) {
    if (error instanceof AppError && error.code === 'EXTRACT.UNSUPPORTED_TYPE')
      report.skipped.push({ name, message: error.message });
    else if (isAboutOneItem(error)) report.failed.push({ name, type: error.code, message: error.message });
    else if (isFileError(error)) report.failed.push({ name, type: null, message: 'The file cannot be read.' });
    else throw error;
  }
}

/** Together, and one by one when the server refuses them together: one bad one spoils a call. */
async function sendDocuments(
  documents: readonly IngestDocument[],
  client: ImportGateway,
  report: ImportReport,
): Promise<void> {
  try {
    const { requestId, items } = await client.ingest(documents);
    const accepted = items.filter(({ status }) => status === 'accepted').length;
    report.accepted += accepted;
    report.unchanged += items.length - accepted;
    if (accepted > 0) report.requestIds.push(requestId);
  } catch (error) {
    const [document] = documents;
    if (!isAboutOneItem(error) || document === undefined) throw error;
    if (documents.length === 1) {
      report.failed.push({ name: document.title, type: error.code, message: error.message });
      return;
    }
    for (const single of documents) await sendDocuments([single], client, report);
  }
}

/** 400, 404, 409, 413, 415, 422: the next item may do better. */
function isAboutOneItem(error: unknown): error is AppError {
  return error instanceof AppError && [400, 404, 409, 413, 415, 422].includes(error.status);
}

function isFileError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && 'syscall' in error;
}

function toError(value: unknown): Error {
  return value instanceof Error ? value : new Error(String(value));
}
