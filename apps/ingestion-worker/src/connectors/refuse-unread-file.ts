import { AppError } from '@candor/contracts';
import { tooLarge } from './outbound-http/read-limited-body.js';

/** As much as an upload may have. */
export const MAX_FILE_BYTES = 100 * 1024 * 1024;
/** What else can't be read is known once the bytes are there. */
const TEXTLESS =
  /^(?:image\/(?!svg)|audio\/|video\/|font\/)|^application\/(?:zip|gzip|x-(?:7z|rar|tar|gzip|msdownload|iso|apple-diskimage)[\w-]*|vnd\.(?:rar|android\.package-archive))$/;

/** Spares the download of files without text. @throws AppError `CONNECTOR.ITEM_UNSUPPORTED`, `CONNECTOR.ITEM_TOO_LARGE` */
export function refuseUnreadFile(mediaType: string, size: number): void {
  if (TEXTLESS.test(mediaType)) throw unsupported(mediaType);
  if (size > MAX_FILE_BYTES) throw tooLarge(MAX_FILE_BYTES);
}

export function unsupported(mimeType: string): AppError {
  return new AppError('CONNECTOR.ITEM_UNSUPPORTED', {
    message: `Files of type ${mimeType} hold no text that is read.`,
    details: { mimeType },
  });
}
