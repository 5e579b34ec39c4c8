import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as PdfJsModule from 'pdfjs-dist/legacy/build/pdf.mjs';

export type PdfJs = typeof PdfJsModule;

export async function loadPdfJs(): Promise<PdfJs> {
  const globals = globalThis as { DOMMatrix?: unknown };
  // Drawing needs one, reading text only that it exists: the native canvas stays unloaded.
  globals.DOMMatrix ??= function UnusedMatrix() {
    return undefined;
  };
  return import('pdfjs-dist/legacy/build/pdf.mjs');
}

/** Folders of the package with the character maps of East Asian fonts and the metrics of the standard ones. */
export function pdfJsData(): { cMapUrl: string; standardFontDataUrl: string } {
  const root = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
  const folder = (name: string): string => `${pathToFileURL(join(root, name)).href}/`;
  return { cMapUrl: folder('cmaps'), standardFontDataUrl: folder('standard_fonts') };
}
