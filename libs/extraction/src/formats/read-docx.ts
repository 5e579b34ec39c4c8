import mammoth from 'mammoth';
import { AppError } from '@candor/contracts';
import { describeHtml } from './read-html.js';
import type { FileText } from './file-text.js';
import { readOfficeProperties } from './read-office-properties.js';
import { openZip } from './zip-archive.js';

/** Headings, paragraphs, lists, tables, notes and links; pictures, headers and footers are left out. */
export async function readDocx(bytes: Uint8Array): Promise<FileText> {
  const archive = await openZip(bytes);
  // Unpacks every part once under our limits, before a library does it without.
  for (const name of archive.names) if (name.endsWith('.xml')) await archive.read(name);
  let pictures = 0;
  const { value: body } = await mammoth
    .convertToHtml(
      { buffer: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) },
      {
        ignoreEmptyParagraphs: true,
        externalFileAccess: false,
        convertImage: mammoth.images.imgElement(async () => {
          pictures += 1;
          return { src: '' };
        }),
      },
    )
    .catch((cause: unknown) => {
      throw new AppError('EXTRACT.UNREADABLE', { message: 'The document is damaged and could not be read.', cause });
    });
  const properties = await readOfficeProperties(archive);
  return {
    // A heading further down is that of a part.
    title: properties.title ?? (body.startsWith('<h1>') ? describeHtml(body).title : null),
    authorName: properties.authorName,
    body,
    mimeType: 'text/html',
    warnings: [...(pictures > 0 ? [`${pictures} pictures were left out.`] : [])],
  };
}
