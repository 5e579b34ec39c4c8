import { AppError } from '@candor/contracts';
import type { FileText } from '../formats/file-text.js';
import type { NamedFile } from '../formats/detect-format.js';
import { htmlToText } from './html-to-text.js';
import type { MailAttachment, MailMessage } from './mail-message.js';
import { readMailMessage } from './read-mail-message.js';
import { trimQuotedText } from './trim-quoted-text.js';

/** Reads a file that came inside another. */
export type ReadInnerFile = (file: NamedFile) => Promise<FileText>;

/** The headers people read, the text without the messages it answers, and the text of attachments that can be read. */
export async function readEml(bytes: Uint8Array, readInner: ReadInnerFile): Promise<FileText> {
  const message = await readMailMessage(bytes);
  const { sections, warnings } = await readAttachments(message.attachments, readInner);
  return {
    title: message.subject,
    authorName: message.authorName,
    body: [renderHeaders(message), trimQuotedText(message.text), ...sections]
      .filter((part) => part !== '')
      .join('\n\n'),
    mimeType: 'text/plain',
    warnings: [...message.warnings, ...warnings],
  };
}

export function renderHeaders({ subject, from, to, cc, date }: MailMessage): string {
  const lines = [
    ['From', from],
    ['To', to.join(', ')],
    ['Cc', cc.join(', ')],
    ['Date', date?.toISOString()],
    ['Subject', subject],
  ].filter(([, value]) => value);
  return lines.map(([name, value]) => `${name}: ${value}`).join('\n');
}

/** Each readable attachment as a section under its name; a warning for each of the others. */
export async function readAttachments(
  attachments: readonly MailAttachment[],
  readInner: ReadInnerFile,
): Promise<{ sections: string[]; warnings: string[] }> {
  const sections: string[] = [];
  const warnings: string[] = [];
  for (const [index, { name, mediaType, bytes }] of attachments.entries()) {
    const label = name || `number ${index + 1}`;
    try {
      const read = await readInner({ name, mediaType, bytes });
      const body = read.mimeType === 'text/html' ? htmlToText(read.body) : { text: read.body, warnings: [] };
      sections.push(`Attachment ${label}:\n\n${body.text.trim()}`);
      warnings.push(...[...read.warnings, ...body.warnings].map((warning) => `Attachment ${label}: ${warning}`));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      warnings.push(`Attachment ${label} was left out: ${error.message}`);
    }
  }
  return { sections, warnings };
}
