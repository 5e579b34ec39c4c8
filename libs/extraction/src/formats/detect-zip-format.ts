import { AppError } from '@candor/contracts';
import type { FileFormat } from './detect-format.js';
import { openZip } from './zip-archive.js';

/** An entry that tells the format. */
const TELLING_ENTRIES: readonly [string, FileFormat][] = [
  ['word/document.xml', 'docx'],
  ['xl/workbook.xml', 'xlsx'],
  ['ppt/presentation.xml', 'pptx'],
];
const FOLDERS: readonly [string, FileFormat][] = [
  ['word/', 'docx'],
  ['xl/', 'xlsx'],
  ['ppt/', 'pptx'],
];

export async function detectZipFormat(bytes: Uint8Array, ending: string): Promise<FileFormat> {
  const archive = await openZip(bytes);
  const telling = TELLING_ENTRIES.find(([name]) => archive.has(name));
  if (telling) return telling[1];
  if (archive.has('content.xml') && archive.has('mimetype')) {
    if ((await archive.readText('mimetype')).trim().startsWith('application/vnd.oasis.opendocument.text')) return 'odt';
    throw unsupported('OpenDocument files other than texts (.odt) are not supported.');
  }
  // The main part may have any name, as long as the package says so.
  const folder = FOLDERS.find(([prefix]) => archive.has('[Content_Types].xml') && archive.hasFolder(prefix));
  if (folder) return folder[1];
  if (archive.has('META-INF/container.xml')) throw unsupported('EPUB books are not supported.');
  if (ending === 'docx' || ending === 'xlsx' || ending === 'pptx' || ending === 'odt') {
    throw new AppError('EXTRACT.UNREADABLE', {
      message: `The file is named .${ending} but lacks the parts of one: it is damaged or of another type.`,
    });
  }
  throw unsupported('Archives are not supported: upload the files in them, or use `candor import` for an export.');
}

function unsupported(message: string): AppError {
  return new AppError('EXTRACT.UNSUPPORTED_TYPE', { message });
}
