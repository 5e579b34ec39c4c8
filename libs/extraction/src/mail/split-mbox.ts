/** `From sender Mon Jan  1 00:00:00 2026`, the line that begins each message of a mailbox file. */
const SEPARATOR = /^From \S+.*\d{1,2}:\d{2}.*\d{4}/;
const NEWLINE = 0x0a;
const FROM = Buffer.from('From ');
const EMPTY = Buffer.alloc(0);

/** A message of a mailbox file, or the place of one that is larger than anybody would read. */
export type MboxPart = { kind: 'message'; bytes: Buffer } | { kind: 'too_large'; size: number };

/** The messages of an mbox file as they were sent; a line that a mailbox had to quote (`>From `) is restored. */
export function* splitMbox(mailbox: Uint8Array): Generator<Buffer> {
  const splitter = new MboxSplitter(Number.MAX_SAFE_INTEGER);
  const buffer = Buffer.from(mailbox.buffer, mailbox.byteOffset, mailbox.byteLength);
  for (const part of [...splitter.push(buffer), ...splitter.end()]) if (part.kind === 'message') yield part.bytes;
}

/** The same of a file that need not fit into memory: only one message at a time is held. */
export async function* splitMboxStream(
  chunks: AsyncIterable<Uint8Array>,
  maxMessageBytes: number,
): AsyncGenerator<MboxPart> {
  const splitter = new MboxSplitter(maxMessageBytes);
  for await (const chunk of chunks) yield* splitter.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  yield* splitter.end();
}

class MboxSplitter {
  /** A line that has not ended yet. */
  private rest: Buffer = EMPTY;
  /** Lines of the message at hand; null before the first. */
  private lines: Buffer[] | null = null;
  private size = 0;

  constructor(private readonly maxMessageBytes: number) {}

  *push(chunk: Buffer): Generator<MboxPart> {
    const buffer = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    let from = 0;
    let line = 0;
    for (let newline = buffer.indexOf(NEWLINE); newline !== -1; newline = buffer.indexOf(NEWLINE, line)) {
      if (isSeparator(buffer, line, newline + 1)) {
        yield* this.finish(buffer.subarray(from, line));
        this.lines = [];
        from = newline + 1;
      }
      line = newline + 1;
    }
    this.add(buffer.subarray(from, line));
    this.rest = this.keep(buffer.subarray(line));
  }

  *end(): Generator<MboxPart> {
    const isBeginning = isSeparator(this.rest, 0, this.rest.length);
    yield* this.finish(isBeginning ? EMPTY : this.rest);
  }

  /** A line without an end is as much a part of its message: it counts, and isn't kept for ever. */
  private keep(rest: Buffer): Buffer {
    if (rest.length <= this.maxMessageBytes) return rest;
    this.add(rest);
    return EMPTY;
  }

  private add(part: Buffer): void {
    if (this.lines === null || part.length === 0) return;
    this.size += part.length;
    if (this.size <= this.maxMessageBytes) this.lines.push(part);
    else this.lines = [];
  }

  private *finish(last: Buffer): Generator<MboxPart> {
    this.add(last);
    const { lines, size } = this;
    this.lines = null;
    this.size = 0;
    this.rest = EMPTY;
    if (lines === null || size === 0) return;
    if (size > this.maxMessageBytes) yield { kind: 'too_large', size };
    else yield { kind: 'message', bytes: unquote(lines.length === 1 ? (lines[0] ?? EMPTY) : Buffer.concat(lines)) };
  }
}

function isSeparator(buffer: Buffer, start: number, end: number): boolean {
  if (!buffer.subarray(start, start + FROM.length).equals(FROM)) return false;
  return SEPARATOR.test(buffer.toString('latin1', start, Math.min(end, start + 300)));
}

function unquote(message: Buffer): Buffer {
  if (!message.includes('\n>')) return message;
  return Buffer.from(message.toString('latin1').replace(/^>(>*From )/gm, '$1'), 'latin1');
}
