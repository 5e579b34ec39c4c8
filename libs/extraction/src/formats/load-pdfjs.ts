import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

export type PdfJs = typeof import('pdfjs-dist/legacy/build/pdf.mjs');

/** Drawing needs one, reading text only that it exists: the native canvas stays unloaded. */
class UnusedMatrix {}

export async function loadPdfJs(): Promise<PdfJs> {
  const globals = globalThis as { DOMMatrix?: unknown };
  globals.DOMMatrix ??= UnusedMatrix;
  return import('pdfjs-dist/legacy/build/pdf.mjs');
}

/** Folders of the package with the character maps of East Asian fonts and the metrics of the standard ones. */
export function pdfJsData(): { cMapUrl: string; standardFontDataUrl: string } {
  const root = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
  const folder = (name: string): string => `${pathToFileURL(join(root, name)).href}/`;
  return { cMapUrl: folder('cmaps'), standardFontDataUrl: folder('standard_fonts') };
}
