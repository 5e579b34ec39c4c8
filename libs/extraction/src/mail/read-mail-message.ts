import { AppError } from '@candor/contracts';
import { simpleParser, type AddressObject, type Attachment, type ParsedMail } from 'mailparser';
import { decodeText } from '../formats/decode-text.js';
import { htmlToText } from './html-to-text.js';
import type { MailMessage } from './mail-message.js';

const ENCRYPTED_TYPES = new Set(['application/pkcs7-mime', 'application/x-pkcs7-mime', 'application/pgp-encrypted']);

/**
 * An Internet message (RFC 822 and MIME), whatever its charsets and transfer encodings.
 *
 * @throws AppError EXTRACT.UNREADABLE when the bytes are no message, EXTRACT.ENCRYPTED for S/MIME and PGP.
 */
export async function readMailMessage(bytes: Uint8Array): Promise<MailMessage> {
  const mail = await simpleParser(toMailBytes(bytes), {
    skipHtmlToText: true,
    skipTextToHtml: true,
    skipImageLinks: true,
  }).catch((cause: unknown) => {
    throw new AppError('EXTRACT.UNREADABLE', { message: 'The message could not be read.', cause });
  });
  if (mail.headerLines.length === 0)
    throw new AppError('EXTRACT.UNREADABLE', { message: 'The file is not a mail message: it has no headers.' });
  const { text, warnings } = pickText(mail);
  if (text.trim() === '' && mail.attachments.some(({ contentType }) => ENCRYPTED_TYPES.has(contentType)))
    throw new AppError('EXTRACT.ENCRYPTED', { message: 'The message is encrypted.' });
  return {
    subject: mail.subject?.trim() || null,
    from: mail.from?.text || null,
    authorName: mail.from?.value[0]?.name || mail.from?.value[0]?.address || null,
    to: addresses(mail.to),
    cc: addresses(mail.cc),
    date: readDate(mail),
    messageId: mail.messageId ?? null,
    inReplyTo: mail.inReplyTo ?? null,
    references: typeof mail.references === 'string' ? [mail.references] : (mail.references ?? []),
    text,
    attachments: mail.attachments.filter((attachment) => !isDecoration(attachment)).map(toAttachment),
    warnings,
  };
}

/** Some programs save messages as UTF-16, which no mail parser expects. */
function toMailBytes(bytes: Uint8Array): Buffer {
  const decoded = decodeText(bytes);
  if (decoded !== null && /^utf-(16|32)/.test(decoded.charset)) return Buffer.from(decoded.text, 'utf8');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function pickText(mail: ParsedMail): { text: string; warnings: string[] } {
  // The plain part may also be there and say nothing.
  if (!mail.text?.trim() && typeof mail.html === 'string') return htmlToText(mail.html);
  return { text: mail.text ?? '', warnings: [] };
}

/** The parser takes the present for a date it can't read, which would differ with every reading. */
function readDate({ date, headerLines }: ParsedMail): Date | null {
  const line = headerLines.find(({ key }) => key === 'date')?.line ?? '';
  const stated = new Date(line.slice(line.indexOf(':') + 1).replace(/\([^()]*\)/g, ' '));
  return date === undefined || Number.isNaN(stated.getTime()) ? null : date;
}

function addresses(objects: AddressObject | AddressObject[] | undefined): string[] {
  return [objects ?? []].flat().map(({ text }) => text);
}

/** Pictures of the message's own layout, and its signature. */
function isDecoration({ related, contentType }: Attachment): boolean {
  return (related && contentType.startsWith('image/')) || /^application\/(x-)?(pkcs7|pgp)-signature$/.test(contentType);
}

function toAttachment({ filename, contentType, content }: Attachment): MailMessage['attachments'][number] {
  return { name: filename ?? '', mediaType: contentType, bytes: content };
}
