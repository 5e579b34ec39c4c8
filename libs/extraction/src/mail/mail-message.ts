export interface MailAttachment {
  /** Empty when it has none. */
  name: string;
  mediaType: string;
  bytes: Buffer;
}

export interface MailMessage {
  subject: string | null;
  /** As written, e.g. `Ada Lovelace <ada@example.org>`. */
  from: string | null;
  /** The name, else the address. */
  authorName: string | null;
  to: string[];
  cc: string[];
  date: Date | null;
  messageId: string | null;
  inReplyTo: string | null;
  references: string[];
  /** Of the plain part, else of the HTML part; quoted text is still in it. */
  text: string;
  attachments: MailAttachment[];
  warnings: string[];
}
