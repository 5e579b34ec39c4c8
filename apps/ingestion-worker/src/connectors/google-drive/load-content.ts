import { unreadable, isUnreadable } from '../item-errors.js';
import { tooLarge } from '../outbound-http/read-limited-body.js';
import type { FileContent, TextContent } from '../source-connector.port.js';
import { MAX_FILE_BYTES } from '../refuse-unread-file.js';
import { XLSX, type DriveContent } from './choose-content.js';
import type { DriveClient } from './drive-client.js';
import type { DriveFile } from './drive-file.js';

/** What servers say of a format that they don't export to. */
const UNKNOWN_FORMAT = [
  'badRequest',
  'invalid',
  'invalidParameter',
  'INVALID_ARGUMENT',
  'conversionUnsupportedConversionPath',
];
const TEXT_TYPES = { 'text/markdown': 'text/markdown', 'text/html': 'text/html', 'text/plain': 'text/plain' } as const;

export async function loadContent(
  client: Pick<DriveClient, 'download' | 'export'>,
  file: DriveFile,
  content: DriveContent,
): Promise<TextContent | FileContent> {
  if (content.kind === 'download') {
    return { kind: 'file', name: file.name, mediaType: file.mimeType, bytes: await client.download(file.id) };
  }
  let refusal: unknown;
  for (const format of content.formats) {
    try {
      return toContent(file, format, await client.export(file.id, format));
    } catch (error) {
      if (isUnreadable(error, ['exportSizeLimitExceeded'])) throw tooLarge(MAX_FILE_BYTES / 10);
      if (!isUnreadable(error, UNKNOWN_FORMAT)) throw error;
      refusal = error;
    }
  }
  throw unreadable('Google exports this file to no format that is read.', 'noFormat', refusal);
}

function toContent(file: DriveFile, format: string, bytes: Uint8Array): TextContent | FileContent {
  const mimeType = TEXT_TYPES[format as keyof typeof TEXT_TYPES] as TextContent['mimeType'] | undefined;
  if (mimeType !== undefined) return { kind: 'text', body: new TextDecoder().decode(bytes), mimeType };
  // Some servers name a workbook and send its text.
  const isWorkbook = format === XLSX && bytes[0] === 0x50 && bytes[1] === 0x4b;
  return isWorkbook
    ? { kind: 'file', name: `${file.name}.xlsx`, mediaType: XLSX, bytes }
    : { kind: 'file', name: `${file.name}.csv`, mediaType: 'text/csv', bytes };
}
