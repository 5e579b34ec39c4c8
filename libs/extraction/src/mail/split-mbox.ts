/** `From sender Mon Jan  1 00:00:00 2026`, the line that begins each message of a mailbox file. */
const SEPARATOR = /^From \S+.*\d{1,2}:\d{2}.*\d{4}/;
const NEWLINE = 0x0a;
const FROM = Buffer.from('From ');

/** The messages of an mbox file as they were sent; a line that a mailbox had to quote (`>From `) is restored. */
export function* splitMbox(mailbox: Uint8Array): Generator<Buffer> {
  const buffer = Buffer.from(mailbox.buffer, mailbox.byteOffset, mailbox.byteLength);
  let start = -1;
  for (let line = 0; line < buffer.length;) {
    const newline = buffer.indexOf(NEWLINE, line);
    const next = newline === -1 ? buffer.length : newline + 1;
    if (isSeparator(buffer, line, next)) {
      if (start !== -1) yield unquote(buffer.subarray(start, line));
      start = next;
    }
    line = next;
  }
  if (start !== -1 && start < buffer.length) yield unquote(buffer.subarray(start));
}

function isSeparator(buffer: Buffer, start: number, end: number): boolean {
  if (!buffer.subarray(start, start + FROM.length).equals(FROM)) return false;
  return SEPARATOR.test(buffer.toString('latin1', start, Math.min(end, start + 300)));
}

function unquote(message: Buffer): Buffer {
  if (!message.includes('\n>')) return message;
  return Buffer.from(message.toString('latin1').replace(/^>(>*From )/gm, '$1'), 'latin1');
}
