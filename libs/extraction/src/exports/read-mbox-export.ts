import { createHash } from 'node:crypto';
import { AppError, type AccessPolicy, type IngestDocument } from '@candor/contracts';
import type { NamedFile } from '../formats/detect-format.js';
import type { FileText } from '../formats/file-text.js';
import { readMailMessage } from '../mail/read-mail-message.js';
import { splitMboxStream } from '../mail/split-mbox.js';
import type { ExportItem } from './export-source.js';

export interface MboxExportOptions {
  /** Address of the mailbox: only who acts for it may read the messages. Without it they are withheld from such keys. */
  mailbox?: string;
}

const MEBIBYTE = 1024 * 1024;
/** Larger ones are told of and left out: so much is the most that is in memory at once. */
const MAX_MESSAGE_BYTES = 128 * MEBIBYTE;

/** One document a message, of a mailbox of any size. `read` reads it with its attachments, best in a process of its own. */
export async function* readMboxExport(
  mailbox: AsyncIterable<Uint8Array>,
  read: (file: NamedFile) => Promise<FileText>,
  options: MboxExportOptions = {},
): AsyncGenerator<ExportItem> {
  let number = 0;
  for await (const part of splitMboxStream(mailbox, MAX_MESSAGE_BYTES)) {
    number += 1;
    if (part.kind === 'too_large') {
      const message = `It has ${part.size} bytes; at most ${MAX_MESSAGE_BYTES} are read.`;
      yield { kind: 'problem', name: `message ${number}`, message };
      continue;
    }
    const { bytes } = part;
    try {
      const text = await read({ name: `message-${number}.eml`, mediaType: 'message/rfc822', bytes });
      yield { kind: 'document', document: await toDocument(bytes, text, options) };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      yield { kind: 'problem', name: `message ${number}`, message: error.message };
    }
  }
  if (number === 0)
    yield { kind: 'problem', name: 'mailbox', message: 'No message begins in the file: is it an mbox?' };
}

async function toDocument(bytes: Buffer, text: FileText, { mailbox }: MboxExportOptions): Promise<IngestDocument> {
  const message = await readMailMessage(bytes);
  const sentAt = message.date?.toISOString() ?? null;
  const digest = createHash('sha256').update(bytes).digest('hex');
  return {
    provider: 'gmail',
    sourceKind: 'message',
    externalId: `mbox:${(message.messageId ?? digest).slice(0, 500)}`,
    title: text.title ?? '(no subject)',
    body: text.body,
    mimeType: text.mimeType,
    authorName: text.authorName,
    sourceCreatedAt: sentAt,
    sourceUpdatedAt: sentAt,
    accessPolicy: mailbox === undefined ? null : policyOf(mailbox),
    metadata: {
      from: message.from,
      to: message.to.slice(0, 50),
      ...(message.messageId === null ? {} : { internetMessageIds: [message.messageId] }),
      ...(message.inReplyTo === null ? {} : { inReplyTo: message.inReplyTo }),
      ...(text.warnings.length > 0 ? { warnings: text.warnings } : {}),
    },
  };
}

/** Addresses in lower case, as connectors write them and keys name them. */
function policyOf(mailbox: string): AccessPolicy {
  return { provider: 'gmail', mode: 'acl', principals: [`user:${mailbox.toLowerCase()}`], mailbox };
}
