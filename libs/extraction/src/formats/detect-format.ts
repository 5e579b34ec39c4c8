import { AppError } from '@candor/contracts';
import { fileTypeFromBuffer } from 'file-type';
import { decodeText } from './decode-text.js';
import { detectTextFormat } from './detect-text-format.js';
import { detectZipFormat } from './detect-zip-format.js';

/** A file as somebody handed it over; its name and stated type are claims. */
export interface NamedFile {
  name: string;
  /** As stated, e.g. by the uploader's browser; empty when nothing was stated. */
  mediaType: string;
  bytes: Uint8Array;
}

export const FILE_FORMATS = [
  'text',
  'markdown',
  'html',
  'xml',
  'csv',
  'json',
  'ndjson',
  'eml',
  'mbox',
  'rtf',
  'pdf',
  'docx',
  'xlsx',
  'pptx',
  'odt',
] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

/** Formats with a signature of their own, by ending: a file that claims one and has another's bytes is damaged. */
const BINARY_BY_ENDING: Readonly<Record<string, FileFormat>> = {
  pdf: 'pdf',
  docx: 'docx',
  docm: 'docx',
  xlsx: 'xlsx',
  xlsm: 'xlsx',
  pptx: 'pptx',
  pptm: 'pptx',
  odt: 'odt',
};

const COMPOUND_FILE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
const LEGACY_OFFICE: Readonly<Record<string, string>> = {
  doc: 'Word files of the old format (.doc) are not supported: save the file as .docx.',
  xls: 'Excel files of the old format (.xls) are not supported: save the file as .xlsx.',
  ppt: 'PowerPoint files of the old format (.ppt) are not supported: save the file as .pptx.',
  msg: 'Outlook messages (.msg) are not supported: save the message as .eml.',
};
const BINARY_ENDINGS =
  /^(?:png|jpe?g|gif|webp|bmp|tiff?|ico|heic|psd|mp[34]|m4[av]|wav|ogg|flac|mov|avi|mkv|webm|gz|bz2|xz|7z|rar|tar|exe|dll|jar|woff2?|ttf|otf|sqlite|parquet)$/;
/** Of these some hold text. */
const UNCLEAR_ENDINGS = /^(?:so|bin|dat|class|db)$/;
/** But for what tables of types say of TypeScript (`.ts`) and of lists of files to play. */
const BINARY_MEDIA_TYPES =
  /^(?:image\/(?!svg)|audio\/(?!(?:x-)?(?:mpegurl|scpls))|video\/(?!mp2t|vnd\.dlna\.mpeg-tts)|font\/)/i;
const HEAD_BYTES = 4_100;

/**
 * What a file is: by its bytes first, then by its name, then by its stated type. Reads little of it and unpacks nothing.
 *
 * @throws AppError EXTRACT.UNSUPPORTED_TYPE for what no reader is for, EXTRACT.EMPTY without a byte,
 * EXTRACT.ENCRYPTED for Office files with a password, EXTRACT.UNREADABLE when the bytes are not what the name promises.
 */
export async function detectFormat(file: NamedFile): Promise<FileFormat> {
  const { bytes } = file;
  if (bytes.length === 0) throw new AppError('EXTRACT.EMPTY', { message: 'The file is empty (0 bytes).' });
  const ending = endingOf(file.name);
  if (startsWith(bytes, COMPOUND_FILE)) throw refuseCompoundFile(bytes, ending);
  if (startsWith(bytes, [0x50, 0x4b])) return detectZipFormat(bytes, ending);
  if (indexOfAscii(bytes.subarray(0, 1_024), '%PDF-') !== -1) return 'pdf';
  if (startsWith(bytes, Buffer.from('{\\rtf'))) return 'rtf';

  const claimed = BINARY_BY_ENDING[ending];
  const head = decodeText(bytes.subarray(0, HEAD_BYTES * 4), { sample: true });
  const isBinaryClaim = BINARY_ENDINGS.test(ending) || BINARY_MEDIA_TYPES.test(file.mediaType);
  // A few bytes of anything can be taken for text of an old charset.
  const isNoText = isBinaryClaim || (head?.isGuess === true && UNCLEAR_ENDINGS.test(ending));
  if (head !== null && !claimed && !isNoText)
    return detectTextFormat({ head: head.text, ending, mediaType: file.mediaType });
  if (claimed) throw damaged(claimed);
  throw new AppError('EXTRACT.UNSUPPORTED_TYPE', { message: await describeBinary(bytes) });
}

/** Lower case, without the dot; empty when there is none. */
export function endingOf(name: string): string {
  return /\.([A-Za-z0-9]{1,10})$/.exec(name)?.[1]?.toLowerCase() ?? '';
}

function damaged(format: FileFormat): AppError {
  return new AppError('EXTRACT.UNREADABLE', {
    message: `The file is named .${format} but is not one: it is damaged or of another type.`,
  });
}

function refuseCompoundFile(bytes: Uint8Array, ending: string): AppError {
  // Office encrypts the whole new-style file into a stream of this name (UTF-16 in the directory).
  if (
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(Buffer.from('EncryptedPackage', 'utf16le'))
  )
    return new AppError('EXTRACT.ENCRYPTED');
  const message = LEGACY_OFFICE[ending] ?? 'Files of the old Office formats are not supported: save it in a new one.';
  return new AppError('EXTRACT.UNSUPPORTED_TYPE', { message });
}

async function describeBinary(bytes: Uint8Array): Promise<string> {
  const found = await fileTypeFromBuffer(bytes.subarray(0, HEAD_BYTES)).catch(() => undefined);
  if (!found) return 'The file is neither text nor of a supported type.';
  const kind = found.mime.startsWith('image/') ? ' (text in images is not read)' : '';
  return `Files of type ${found.mime} are not supported${kind}.`;
}

function startsWith(bytes: Uint8Array, signature: ArrayLike<number>): boolean {
  return Array.from(signature).every((byte, index) => bytes[index] === byte);
}

function indexOfAscii(bytes: Uint8Array, text: string): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).indexOf(text, 0, 'latin1');
}
