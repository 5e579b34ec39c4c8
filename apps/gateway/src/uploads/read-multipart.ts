import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { AppError, invalidField } from '@candor/contracts';
import { FileBuffer } from './file-buffer.js';

export interface MultipartFile {
  /** Without folders. */
  name: string;
  mediaType: string;
  bytes: Buffer;
}

export interface MultipartBody {
  fields: Map<string, string[]>;
  file: MultipartFile | null;
}

const MEBIBYTE = 1024 * 1024;
const LIMITS = { files: 1, fields: 100, parts: 101, fieldSize: MEBIBYTE, headerPairs: 50, headerSize: 16 * 1024 };
/** Fields and separators around the file. */
const OVERHEAD_BYTES = 4 * MEBIBYTE;

/**
 * The fields and the one file (field `file`) of a multipart/form-data body, read as it comes in.
 *
 * @throws AppError REQUEST.TOO_LARGE, REQUEST.INVALID, REQUEST.CANCELLED when the caller goes away.
 */
export async function readMultipart(request: IncomingMessage, fileBytes: number): Promise<MultipartBody> {
  // Whoever has hung up before tells nobody any more.
  if (request.destroyed) throw new AppError('REQUEST.CANCELLED');
  const announced = announcedBytes(request) ?? fileBytes;
  if (announced > fileBytes + OVERHEAD_BYTES) throw discard(request, tooLarge(fileBytes));
  const parser = createParser(request, fileBytes);
  const body: MultipartBody = { fields: new Map(), file: null };
  try {
    await new Promise<void>((resolve, reject) => {
      const fail = (error: AppError): void => {
        request.unpipe(parser);
        reject(error);
      };
      collectFields(parser, body, fail);
      collectFile(parser, body, { fileBytes, most: Math.min(announced, fileBytes) }, fail);
      parser.on('error', (cause) => fail(malformed(cause)));
      parser.on('finish', () => resolve());
      request.on('aborted', () => fail(new AppError('REQUEST.CANCELLED')));
      request.pipe(parser);
    });
  } catch (error) {
    throw discard(request, error);
  }
  return body;
}

/** Of the whole body; undefined when it comes in chunks. */
export function announcedBytes(request: IncomingMessage): number | undefined {
  const length = request.headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

function createParser(request: IncomingMessage, fileBytes: number): BusboyInstance {
  try {
    return new Busboy({ headers: request.headers as BusboyHeaders, limits: { ...LIMITS, fileSize: fileBytes } });
  } catch (cause) {
    throw discard(request, malformed(cause));
  }
}

function collectFields(parser: BusboyInstance, body: MultipartBody, fail: (error: AppError) => void): void {
  let length = 0;
  parser.on('field', (name, value, _nameTruncated, valueTruncated) => {
    if (valueTruncated) return fail(invalidField(name, 'must not be longer than 1 MiB'));
    // A body that comes in chunks has announced no length.
    length += value.length;
    if (length > OVERHEAD_BYTES) return fail(invalidField('body', 'must not have fields of more than 4 MiB together'));
    body.fields.set(name, [...(body.fields.get(name) ?? []), value]);
  });
  parser.on('filesLimit', () => fail(invalidField('file', 'must be given once')));
  parser.on('fieldsLimit', () => fail(invalidField('body', `must not have more than ${LIMITS.fields} fields`)));
  parser.on('partsLimit', () => fail(invalidField('body', `must not have more than ${LIMITS.parts} parts`)));
}

function collectFile(
  parser: BusboyInstance,
  body: MultipartBody,
  { fileBytes, most }: { fileBytes: number; most: number },
  fail: (error: AppError) => void,
): void {
  parser.on('file', (field: string, stream: BusboyFileStream, name: string | undefined, _encoding, mediaType) => {
    stream.on('error', (cause: unknown) => fail(malformed(cause)));
    if (field !== 'file') {
      stream.resume();
      return fail(new AppError('REQUEST.INVALID', { message: `unknown field "${field}": the file belongs in "file"` }));
    }
    const collected = new FileBuffer(most);
    stream.on('limit', () => fail(tooLarge(fileBytes)));
    stream.on('data', (part: Buffer) => {
      if (!collected.push(part)) fail(malformed(new Error('the file is larger than the body')));
    });
    stream.on('end', () => {
      body.file = { name: cleanName(name), mediaType, bytes: collected.read() };
    });
  });
}

function cleanName(name: string | undefined): string {
  const plain = (name ?? '').replace(/\p{Cc}/gu, '').trim();
  return plain === '' ? 'upload' : Array.from(plain).slice(-200).join('');
}

/** What still comes is thrown away, so that the caller gets to read the answer. */
function discard<Failure>(request: IncomingMessage, failure: Failure): Failure {
  request.resume();
  return failure;
}

function tooLarge(fileBytes: number): AppError {
  return new AppError('REQUEST.TOO_LARGE', { message: `The file is larger than ${fileBytes / MEBIBYTE} MiB.` });
}

function malformed(cause: unknown): AppError {
  return new AppError('REQUEST.INVALID', { message: 'The multipart body is not well formed.', cause });
}
