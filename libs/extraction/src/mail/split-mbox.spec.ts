import { describe, expect, it } from '@jest/globals';
import { splitMbox, splitMboxStream, type MboxPart } from './split-mbox.js';

const split = (text: string): string[] =>
  [...splitMbox(Buffer.from(text, 'latin1'))].map((part) => part.toString('latin1'));

describe('splitMbox', () => {
  it('parts messages at their separator lines and restores quoted ones', () => {
    const mailbox =
      'From a@x.org Mon Jan  5 10:00:00 2026\nSubject: 1\n\nFrom here on: text\n>From the start\n>>From deeper\n\n' +
      'From b@x.org Tue Jan  6 11:00:00 2026\r\nSubject: 2\r\n\r\nBody\r\n';
    expect(split(mailbox)).toEqual([
      'Subject: 1\n\nFrom here on: text\nFrom the start\n>From deeper\n\n',
      'Subject: 2\r\n\r\nBody\r\n',
    ]);
  });

  it('finds nothing where no message begins', () => {
    expect(split('Subject: 1\n\nText')).toEqual([]);
    expect(split('')).toEqual([]);
  });
});

describe('splitMboxStream', () => {
  const MAILBOX =
    'junk\nFrom a@x.org Mon Jan  5 10:00:00 2026\nSubject: 1\n\n>From the start\n\n' +
    'From b@x.org Tue Jan  6 11:00:00 2026\n' +
    'x'.repeat(90) +
    '\nFrom c@x.org Tue Jan  6 12:00:00 2026\nSubject: 3\n\nNo end';

  async function splitStream(text: string, size: number, maxBytes: number): Promise<MboxPart[]> {
    async function* pieces(): AsyncGenerator<Buffer> {
      for (let from = 0; from < text.length; from += size) yield Buffer.from(text.slice(from, from + size), 'latin1');
    }
    const parts: MboxPart[] = [];
    for await (const part of splitMboxStream(pieces(), maxBytes)) parts.push(part);
    return parts;
  }

  it('finds the same messages wherever the stream is cut', async () => {
    for (let size = 1; size < 60; size += 1) {
      const parts = await splitStream(MAILBOX, size, 1_000);
      expect(parts.map((part) => (part.kind === 'message' ? part.bytes.toString('latin1') : part))).toEqual(
        split(MAILBOX),
      );
    }
    expect(split(MAILBOX)).toEqual(['Subject: 1\n\nFrom the start\n\n', `${'x'.repeat(90)}\n`, 'Subject: 3\n\nNo end']);
  });

  it('holds no more of a message than may be read, also where a line has no end', async () => {
    const kinds = (parts: MboxPart[]): unknown[] =>
      parts.map((part) => (part.kind === 'too_large' ? part.size : 'read'));
    expect(kinds(await splitStream(MAILBOX, 10, 40))).toEqual(['read', 91, 'read']);
    const endless = `From a@x.org Mon Jan  5 10:00:00 2026\n${'y'.repeat(100_000)}`;
    expect(kinds(await splitStream(endless, 1_000, 5_000))).toEqual([100_000]);
  });
});
