import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { ingestDocumentSchema } from '@candor/contracts';
import type { ImportEntry } from './import-entry.js';

/** NDJSON of documents as POST /v1/ingest takes them. A line that is none is a problem of its own. */
export async function* readDocumentLines(path: string): AsyncGenerator<ImportEntry> {
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    number += 1;
    if (line.trim() === '') continue;
    const name = `${basename(path)} line ${number}`;
    const parsed = ingestDocumentSchema.safeParse(parseLine(line));
    if (parsed.success) yield { kind: 'document', name, document: parsed.data };
    else {
      const [issue] = parsed.error.issues;
      const field = issue?.path.join('.') ?? '';
      yield { kind: 'problem', name, message: `${field ? `${field}: ` : ''}${issue?.message ?? 'is not a document'}` };
    }
  }
}

/** Tells documents to push from data that happens to be NDJSON. */
export async function beginsWithDocument(path: string): Promise<boolean> {
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    if (line.trim() === '') continue;
    const value = parseLine(line);
    return typeof value === 'object' && value !== null && 'externalId' in value && 'body' in value;
  }
  return false;
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
