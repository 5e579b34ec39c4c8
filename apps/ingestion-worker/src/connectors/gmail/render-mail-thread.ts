import { trimQuotedText, type MailMessage } from '@candor/extraction';

export interface ThreadMessage {
  mail: MailMessage;
  date: Date | null;
  attachments: readonly string[];
}

/** Messages one after the other, each with its headers; a reply is cut to what it says itself. */
export function renderMailThread(messages: readonly ThreadMessage[]): string {
  return messages.map((message, index) => renderMessage(message, messages[index - 1]?.mail)).join('\n\n');
}

function renderMessage({ mail, date, attachments }: ThreadMessage, previous: MailMessage | undefined): string {
  // The first one's quotation is of something that isn't in this thread.
  const text = previous === undefined ? mail.text : trimQuotedText(mail.text);
  const hasNewSubject = previous === undefined || stripPrefix(mail.subject) !== stripPrefix(previous.subject);
  const head = [
    field('From', mail.from),
    field('To', mail.to.join(', ')),
    field('Cc', mail.cc.join(', ')),
    field('Date', date === null ? null : `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`),
    hasNewSubject ? field('Subject', mail.subject) : '',
    ...attachments.map((name) => field('Attachment', name)),
  ];
  return [head.filter((line) => line !== '').join('\n'), text.trim()].filter((part) => part !== '').join('\n\n');
}

function field(name: string, value: string | null): string {
  return value ? `${name}: ${value}` : '';
}

export function stripPrefix(subject: string | null): string {
  return (subject ?? '').replace(/^(?:\s*(?:re|fwd?|aw|wg|sv|tr|rv)\s*(?:\[\d+\])?:)+/i, '').trim();
}
