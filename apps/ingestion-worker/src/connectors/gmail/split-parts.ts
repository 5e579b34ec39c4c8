import { findHeader, type GmailMessage, type GmailPart } from './gmail-message.js';

export interface GmailAttachment {
  /** Within the message, from 1: Gmail's own attachment ids differ with every answer. */
  ordinal: number;
  name: string;
  mediaType: string;
  size: number;
  /** Absent when the bytes came along. */
  attachmentId: string | null;
  data: string | null;
}

export interface SplitParts {
  /** What is shown as the message; several where text stands between attachments. */
  bodies: GmailPart[];
  attachments: GmailAttachment[];
}

/** Cut here, so that what a deleted message had attached can be named without knowing it. */
export const MAX_ATTACHMENTS = 30;
const SIGNATURE = /^application\/(?:x-)?(?:pkcs7|pgp)-signature$/;

/** Pictures of the message's own layout and signatures are neither. */
export function splitParts(message: GmailMessage): SplitParts {
  const bodies: GmailPart[] = [];
  const attached: GmailPart[] = [];
  const visit = (part: GmailPart): void => {
    const type = part.mimeType?.toLowerCase() ?? '';
    if (part.filename || type === 'message/rfc822' || isAttachment(part)) attached.push(part);
    else if (part.parts?.length) part.parts.forEach(visit);
    else if (type === '' || type === 'text/plain' || type === 'text/html') bodies.push(part);
    else if (part.body?.attachmentId || part.body?.data) attached.push(part);
  };
  if (message.payload) visit(message.payload);
  return { bodies, attachments: attached.filter((part) => !isDecoration(part)).map(toAttachment) };
}

function isAttachment(part: GmailPart): boolean {
  return /^\s*attachment\b/i.test(findHeader(part, 'content-disposition'));
}

function isDecoration(part: GmailPart): boolean {
  const type = part.mimeType?.toLowerCase() ?? '';
  const isInline = findHeader(part, 'content-id') !== '' && !isAttachment(part);
  return SIGNATURE.test(type) || (isInline && type.startsWith('image/'));
}

function toAttachment(part: GmailPart, index: number): GmailAttachment {
  const ordinal = index + 1;
  return {
    ordinal,
    name: part.filename?.trim() || `attachment ${String(ordinal)}`,
    mediaType: part.mimeType?.toLowerCase() ?? 'application/octet-stream',
    size: part.body?.size ?? 0,
    attachmentId: part.body?.attachmentId ?? null,
    data: part.body?.data ?? null,
  };
}
