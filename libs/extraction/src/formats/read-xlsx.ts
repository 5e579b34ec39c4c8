import readWorkbook from 'read-excel-file/universal';
import { AppError } from '@candor/contracts';
import type { FileText } from './file-text.js';
import { renderRows, type Cell } from './render-rows.js';
import { readOfficeProperties } from './read-office-properties.js';
import { TextCollector } from './text-collector.js';
import { openZip } from './zip-archive.js';

/** Each sheet a section, each row a paragraph; formulas count as the value that was last computed. */
export async function readXlsx(bytes: Uint8Array): Promise<FileText> {
  const archive = await openZip(bytes);
  // Unpacks every part once under our limits, before a library does it without.
  for (const name of archive.names) if (name.endsWith('.xml')) await archive.read(name);
  const { buffer, byteOffset, byteLength } = bytes;
  const sheets = await readWorkbook(new Uint8Array(buffer, byteOffset, byteLength).slice().buffer).catch(
    (cause: unknown) => {
      throw new AppError('EXTRACT.UNREADABLE', { message: 'The workbook is damaged and could not be read.', cause });
    },
  );
  const into = new TextCollector();
  for (const { sheet, data } of sheets) {
    if (data.every((row) => row.every((cell) => cell === null))) continue;
    into.add(`## ${sheet.replace(/\s+/g, ' ')}\n\n`);
    renderRows(data as Cell[][], into);
  }
  return {
    ...(await readOfficeProperties(archive)),
    body: into.toString().trimEnd(),
    mimeType: 'text/markdown',
    warnings: [],
  };
}
