import { AppError } from '@candor/contracts';
import type { FileText } from '../formats/file-text.js';
import { TextCollector } from '../formats/text-collector.js';
import { readEml, type ReadInnerFile } from './read-eml.js';
import { splitMbox } from './split-mbox.js';

/** A whole mailbox as one document, message after message; `candor import` makes one of each instead. */
export async function readMbox(bytes: Uint8Array, readInner: ReadInnerFile): Promise<FileText> {
  const body = new TextCollector();
  const warnings: string[] = [];
  let number = 0;
  for (const message of splitMbox(bytes)) {
    number += 1;
    try {
      const read = await readEml(message, readInner);
      body.add(`${read.body}\n\n`);
      warnings.push(...read.warnings.map((warning) => `Message ${number}: ${warning}`));
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'EXTRACT.TOO_LARGE') throw error;
      warnings.push(`Message ${number} was left out: ${error.message}`);
    }
  }
  if (number === 0)
    throw new AppError('EXTRACT.UNREADABLE', { message: 'The file is not a mailbox: no message begins in it.' });
  return { title: null, authorName: null, body: body.toString().trimEnd(), mimeType: 'text/plain', warnings };
}
