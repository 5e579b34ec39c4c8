import { readMailMessage, type MailMessage } from '@candor/extraction';
import { isUtf8 } from 'node:buffer';
import { findHeader, type GmailMessage, type GmailPart } from './gmail-message.js';
import { splitParts } from './split-parts.js';

/** A body part's bytes, without its transfer encoding. */
export type ReadPart = (part: GmailPart) => Promise<Uint8Array> | Uint8Array;

const HEADERS = ['Subject', 'From', 'To', 'Cc', 'Date', 'Message-ID', 'In-Reply-To', 'References'];

/**
 * Gmail hands over messages in parts, decoded by half: put together again, so that the one reader of mail decides about
 * charsets, encoded headers and HTML. Attachments stay out.
 */
export async function readGmailMessage(message: GmailMessage, readPart: ReadPart): Promise<MailMessage> {
  const { bodies } = splitParts(message);
  const sections: string[] = [];
  for (const part of bodies) sections.push(writePart(part, await readPart(part)));
  const boundary = `candor-${message.id}`;
  const headers = HEADERS.flatMap((name) => writeHeader(name, findHeader(message.payload, name.toLowerCase())));
  const type = `Content-Type: ${chooseMultipart(bodies)}; boundary="${boundary}"`;
  const body = sections.map((section) => `--${boundary}\r\n${section}\r\n`).join('');
  return readMailMessage(Buffer.from([...headers, type, '', `${body}--${boundary}--`, ''].join('\r\n'), 'utf8'));
}

/** The same words twice, in two forms, or words that follow each other. */
function chooseMultipart(bodies: readonly GmailPart[]): string {
  const types = bodies.map(({ mimeType }) => mimeType?.toLowerCase());
  const isTwice = types.length === 2 && types.includes('text/plain') && types.includes('text/html');
  return isTwice ? 'multipart/alternative' : 'multipart/mixed';
}

function writePart(part: GmailPart, bytes: Uint8Array): string {
  const type = part.mimeType?.toLowerCase() === 'text/html' ? 'text/html' : 'text/plain';
  return [
    `Content-Type: ${type}; charset="${chooseCharset(part, bytes)}"`,
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(bytes)
      .toString('base64')
      .replaceAll(/(.{76})/g, '$1\r\n'),
  ].join('\r\n');
}

/** Gmail turns most text into UTF-8 and leaves the header as it was. The seven-bit charsets would pass for UTF-8. */
function chooseCharset(part: GmailPart, bytes: Uint8Array): string {
  const stated = /charset\s*=\s*"?([\w.:-]+)/i.exec(findHeader(part, 'content-type'))?.[1]?.toLowerCase() ?? '';
  const isEscaped = /^(?:iso-2022-|hz|utf-7)/.test(stated) && (bytes.includes(0x1b) || !stated.startsWith('iso-2022-'));
  if (isUtf8(bytes) && !isEscaped) return 'utf-8';
  return stated === '' || /^utf-?8$|^us-ascii$/.test(stated) ? 'windows-1252' : stated;
}

function writeHeader(name: string, value: string): string[] {
  const line = value.replaceAll(/[\r\n]+\s*/g, ' ').trim();
  return line === '' ? [] : [`${name}: ${line}`];
}
