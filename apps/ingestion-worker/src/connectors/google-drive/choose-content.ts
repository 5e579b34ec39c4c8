import { AppError } from '@candor/contracts';
import { refuseUnreadFile, unsupported } from '../refuse-unread-file.js';
import type { DriveFile } from './drive-file.js';

const NATIVE = 'application/vnd.google-apps.';
export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Formats to export a native file to, the best first; a server that knows the first isn't asked for the next. */
const EXPORTS: Readonly<Record<string, readonly string[]>> = {
  document: ['text/markdown', 'text/html', 'text/plain'],
  spreadsheet: [XLSX, 'text/csv'],
  presentation: ['text/plain'],
};

export type DriveContent = { kind: 'export'; formats: readonly string[] } | { kind: 'download' };

/** How a file's text is come by. @throws AppError `CONNECTOR.ITEM_*` when it isn't. */
export function chooseContent(file: DriveFile): DriveContent {
  if (file.capabilities?.canDownload === false) {
    throw new AppError('CONNECTOR.ITEM_UNREADABLE', {
      message: 'Its owner does not allow this file to be downloaded.',
    });
  }
  if (file.mimeType.startsWith(NATIVE)) {
    const formats = EXPORTS[file.mimeType.slice(NATIVE.length)];
    if (formats !== undefined) return { kind: 'export', formats };
    throw unsupported(file.mimeType);
  }
  refuseUnreadFile(file.mimeType, Number(file.size ?? 0));
  return { kind: 'download' };
}

/**
 * Changes with the content alone. Google's `version` also counts changes of access, so it is the last resort; for native
 * files the time of the last edit is the mark.
 */
export function markContent(file: DriveFile): string | null {
  const isNative = file.mimeType.startsWith(NATIVE);
  const mark = isNative ? file.modifiedTime : (file.md5Checksum ?? file.headRevisionId ?? file.modifiedTime);
  return mark ?? file.version ?? null;
}
