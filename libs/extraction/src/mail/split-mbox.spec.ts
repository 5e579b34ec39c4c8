import { describe, expect, it } from '@jest/globals';
import { splitMbox } from './split-mbox.js';

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
