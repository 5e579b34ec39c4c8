import { AppError } from '@candor/contracts';
import type { FileText } from './file-text.js';
import { loadPdfJs, pdfJsData, type PdfJs } from './load-pdfjs.js';
import { composePageText, type PdfTextPiece } from './pdf-page-text.js';
import { isPlaceholder } from './read-office-properties.js';
import { TextCollector } from './text-collector.js';

/** A line of its own between two pages: blank for every reader of paragraphs, and it says where the page ends. */
const PAGE_BREAK = '\n\f\n';
const MAX_PAGES = 20_000;

export async function readPdf(bytes: Uint8Array): Promise<FileText> {
  const pdfjs = await loadPdfJs();
  const loading = pdfjs.getDocument({
    // Its buffer is taken over.
    data: Uint8Array.from(bytes),
    ...pdfJsData(),
    cMapPacked: true,
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    useWasm: false,
    verbosity: pdfjs.VerbosityLevel.ERRORS,
  });
  try {
    const document = await loading.promise;
    if (document.numPages > MAX_PAGES)
      throw new AppError('EXTRACT.TOO_LARGE', { message: `The PDF has more than ${MAX_PAGES} pages.` });
    const body = new TextCollector();
    let silent = 0;
    let damaged = 0;
    for (let number = 1; number <= document.numPages; number += 1) {
      if (number > 1) body.add(PAGE_BREAK);
      const text = await readPage(document, number).catch(() => null);
      if (text === null) damaged += 1;
      else if (text === '') silent += 1;
      body.add(text ?? '');
    }
    refuseSilent({ pages: document.numPages, silent, damaged });
    return {
      ...(await readProperties(document)),
      body: body.toString(),
      mimeType: 'text/plain',
      warnings: [
        ...(silent > 0 ? [`${silent} of ${document.numPages} pages have no text (blank, or pictures of text).`] : []),
        ...(damaged > 0 ? [`${damaged} of ${document.numPages} pages are damaged and were left out.`] : []),
      ],
    };
  } catch (error) {
    throw toFileError(error);
  } finally {
    await loading.destroy();
  }
}

type PdfDocument = Awaited<ReturnType<PdfJs['getDocument']>['promise']>;

async function readPage(document: PdfDocument, number: number): Promise<string> {
  const page = await document.getPage(number);
  const { items } = await page.getTextContent();
  page.cleanup();
  return composePageText(items.filter((item): item is typeof item & PdfTextPiece => 'str' in item));
}

async function readProperties(document: PdfDocument): Promise<Pick<FileText, 'title' | 'authorName'>> {
  const { info } = await document.getMetadata().catch(() => ({ info: {} }));
  const { Title: title, Author: author } = info as { Title?: unknown; Author?: unknown };
  return {
    title: typeof title === 'string' && !isPlaceholder(title.trim()) ? title : null,
    authorName: typeof author === 'string' ? author : null,
  };
}

function refuseSilent({ pages, silent, damaged }: { pages: number; silent: number; damaged: number }): void {
  if (damaged === pages) throw new AppError('EXTRACT.UNREADABLE', { message: 'Every page of the PDF is damaged.' });
  if (silent + damaged === pages)
    throw new AppError('EXTRACT.EMPTY', {
      message: 'The PDF has pages but no text: it is probably a scan, and text in pictures is not read.',
    });
}

function toFileError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const name = error instanceof Error ? error.name : '';
  if (name === 'PasswordException')
    return new AppError('EXTRACT.ENCRYPTED', { message: 'The PDF is protected with a password.', cause: error });
  return new AppError('EXTRACT.UNREADABLE', { message: 'The PDF is damaged and could not be read.', cause: error });
}
