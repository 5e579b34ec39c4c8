import { AppError } from '@candor/contracts';
import { decodeText, type DecodedText, type DecodeOptions } from './decode-text.js';
import { tooMuchText, MAX_BODY_LENGTH, type FileText } from './file-text.js';

/** Bytes a character takes at most; a larger file has too much text, whatever its charset. */
const MAX_BYTES = MAX_BODY_LENGTH * 4;

/** @throws AppError EXTRACT.UNREADABLE when the bytes are no text, EXTRACT.TOO_LARGE */
export function requireText(bytes: Uint8Array, options: DecodeOptions = {}): DecodedText {
  if (bytes.length > MAX_BYTES) throw tooMuchText();
  const decoded = decodeText(bytes, options);
  if (!decoded) throw new AppError('EXTRACT.UNREADABLE', { message: 'The file is not text of a known charset.' });
  return decoded;
}

export function charsetWarnings({ isGuess, charset }: DecodedText): string[] {
  return isGuess ? [`The charset is not stated; it was taken to be ${charset}.`] : [];
}

/** A charset stated by whoever sent the file, e.g. `text/plain; charset=shift_jis`. */
export function statedCharset(mediaType: string): string | undefined {
  return /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(mediaType)?.[1];
}

export function readText(bytes: Uint8Array, mediaType: string): FileText {
  const decoded = requireText(bytes, { declared: statedCharset(mediaType) });
  return {
    title: null,
    authorName: null,
    body: decoded.text,
    mimeType: 'text/plain',
    warnings: charsetWarnings(decoded),
  };
}
