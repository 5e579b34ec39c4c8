import { createHash } from 'node:crypto';
import { invalidField, type UploadedFile } from '@candor/contracts';
import { findJsonExcess } from '@candor/runtime';
import type { MultipartBody } from './read-multipart.js';

/** Parsed before the schema is asked, so that what a field may cost has to be bounded here. */
const MOST_VALUES_A_FIELD = 10_000;

/**
 * A form as the JSON body it stands for: lists are repeated fields, JSON or separated by commas, objects are JSON, the
 * file is described by its digest.
 *
 * @throws AppError REQUEST.INVALID naming the field
 */
export function toBody({ fields, file }: MultipartBody, listFields: readonly string[]): Record<string, unknown> {
  const entries = [...fields].map(([name, values]): [string, unknown] => {
    if (name === 'file') throw invalidField('file', 'must be sent as a file, with a file name');
    if (listFields.includes(name)) return [name, readList(name, values)];
    if (values.length > 1) throw invalidField(name, 'must be given once');
    return [name, readValue(name, values[0] ?? '')];
  });
  const body = Object.fromEntries(entries);
  return file ? { ...body, file: describeFile(file) } : body;
}

function describeFile({ name, mediaType, bytes }: NonNullable<MultipartBody['file']>): UploadedFile {
  return { name, mediaType, byteSize: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

function readList(name: string, values: readonly string[]): unknown[] {
  return values.flatMap((value) => {
    const read = value.trimStart().startsWith('[') ? parseJson(name, value) : value.split(',');
    const list: unknown[] = Array.isArray(read) ? read : [read];
    return list.map((entry) => (typeof entry === 'string' ? entry.trim() : entry)).filter((entry) => entry !== '');
  });
}

/** Objects alone: a title that begins with a bracket is a title. */
function readValue(name: string, value: string): unknown {
  return name !== 'title' && name !== 'content' && value.trimStart().startsWith('{') ? parseJson(name, value) : value;
}

function parseJson(name: string, value: string): unknown {
  const excess = findJsonExcess(Buffer.from(value), MOST_VALUES_A_FIELD);
  if (excess) throw invalidField(name, excess.rule);
  try {
    return JSON.parse(value);
  } catch {
    throw invalidField(name, 'must be valid JSON');
  }
}
