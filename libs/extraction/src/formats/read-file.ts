import { AppError } from '@candor/contracts';
import { readEml } from '../mail/read-eml.js';
import { readMbox } from '../mail/read-mbox.js';
import { detectFormat, type FileFormat, type NamedFile } from './detect-format.js';
import { finishFileText, type FileText } from './file-text.js';
import { readCsv } from './read-csv.js';
import { readHtml } from './read-html.js';
import { readJson, readNdjson } from './read-json.js';
import { readMarkdown } from './read-markdown.js';
import { readRtf } from './read-rtf.js';
import { readText } from './read-text.js';
import { readXml } from './read-xml.js';

/** A mail in a mail in a mail; further ones are left out. */
const MAX_NESTING = 3;

type Reader = (file: NamedFile, nesting: number) => FileText | Promise<FileText>;

/** The larger libraries are loaded when the first file needs them. */
const READERS: Readonly<Record<FileFormat, Reader>> = {
  text: ({ bytes, mediaType }) => readText(bytes, mediaType),
  markdown: ({ bytes, mediaType }) => readMarkdown(bytes, mediaType),
  html: ({ bytes, mediaType }) => readHtml(bytes, mediaType),
  xml: ({ bytes, mediaType }) => readXml(bytes, mediaType),
  csv: ({ bytes, mediaType }) => readCsv(bytes, mediaType),
  json: ({ bytes, mediaType }) => readJson(bytes, mediaType),
  ndjson: ({ bytes, mediaType }) => readNdjson(bytes, mediaType),
  rtf: ({ bytes }) => readRtf(bytes),
  pdf: async ({ bytes }) => (await import('./read-pdf.js')).readPdf(bytes),
  docx: async ({ bytes }) => (await import('./read-docx.js')).readDocx(bytes),
  xlsx: async ({ bytes }) => (await import('./read-xlsx.js')).readXlsx(bytes),
  pptx: async ({ bytes }) => (await import('./read-pptx.js')).readPptx(bytes),
  odt: async ({ bytes }) => (await import('./read-odt.js')).readOdt(bytes),
  eml: ({ bytes }, nesting) => readEml(bytes, (inner) => readNested(inner, nesting + 1)),
  mbox: ({ bytes }, nesting) => readMbox(bytes, (inner) => readNested(inner, nesting + 1)),
};

/**
 * The text of a file, in the process that calls: for files of strangers use {@link FileReader}, which bounds time and
 * memory.
 *
 * @throws AppError `EXTRACT.*`, permanent, with a message for people.
 */
export async function readFile(file: NamedFile): Promise<FileText> {
  return readNested(file, 0);
}

async function readNested(file: NamedFile, nesting: number): Promise<FileText> {
  if (nesting > MAX_NESTING)
    throw new AppError('EXTRACT.UNREADABLE', { message: 'It lies too deep in messages within messages.' });
  const format = await detectFormat(file);
  return finishFileText(await READERS[format](file, nesting));
}
