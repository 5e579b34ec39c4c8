import { basename } from 'node:path';
import { ingestDocumentSchema } from '@candor/contracts';
import { readLines } from '../read-input.js';
import type { ImportEntry } from './import-entry.js';

/** NDJSON of documents as POST /v1/ingest takes them. A line that is none is a problem of its own. */
export async function* readDocumentLines(source: string | NodeJS.ReadableStream): AsyncGenerator<ImportEntry> {
  const file = typeof source === 'string' ? basename(source) : 'standard input';
  let number = 0;
  for await (const line of readLines(source)) {
    number += 1;
    if (line.trim() === '') continue;
    const name = `${file} line ${number}`;
    const value = parseLine(line);
    if (value === undefined) {
      yield { kind: 'problem', name, message: 'The line is not valid JSON.' };
      continue;
    }
    // With the input, a field that is missing can be told from one that is wrong.
    const parsed = ingestDocumentSchema.safeParse(value, { reportInput: true });
    if (parsed.success) yield { kind: 'document', name, document: parsed.data };
    else yield { kind: 'problem', name, message: describeIssue(parsed.error.issues[0]) };
  }
}

type Issue = NonNullable<ReturnType<typeof ingestDocumentSchema.safeParse>['error']>['issues'][number];

function describeIssue(issue: Issue | undefined): string {
  const field = issue?.path.join('.') ?? '';
  if (issue === undefined || field === '') return 'The line is not a document as POST /v1/ingest takes it.';
  if (issue.code !== 'unrecognized_keys' && issue.input === undefined) return `${field} is required`;
  return `${field}: ${issue.message}`;
}

/** Tells documents to push from data that happens to be NDJSON. */
export async function beginsWithDocument(path: string): Promise<boolean> {
  for await (const line of readLines(path)) {
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
