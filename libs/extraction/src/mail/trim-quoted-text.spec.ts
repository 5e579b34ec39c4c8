import { describe, expect, it } from '@jest/globals';
import { trimQuotedText } from './trim-quoted-text.js';

describe('trimQuotedText', () => {
  it.each<[string, string, string]>([
    [
      'English',
      'Yes, do it.\n\nOn Mon, 5 Jan 2026 at 10:00, Ada <ada@x.org> wrote:\n> Shall I?\n>\n> Ada\n',
      'Yes, do it.',
    ],
    [
      'an attribution over two lines',
      'Yes.\n\nOn Mon, 5 Jan 2026 at 10:00, Ada Lovelace of the engine department\n<ada@x.org> wrote:\n> Shall I?',
      'Yes.',
    ],
    ['German', 'Ja.\n\nAm 05.01.26 um 10:00 schrieb Ada:\n> Soll ich?', 'Ja.'],
    ['French', 'Oui.\n\nLe lun. 5 janv. 2026, Ada a écrit :\n> Dois-je ?', 'Oui.'],
    ['no attribution', 'Yes.\n> Shall I?', 'Yes.'],
    ['nested quotations', 'Yes.\n\nAda wrote:\n>> First\n> Second\n', 'Yes.'],
    ['Outlook', 'Yes.\n\n-----Original Message-----\nFrom: Ada\nSubject: Hi\n\nShall I?', 'Yes.'],
    ['a copied header', 'Yes.\n\n_____\nFrom: Ada\nSent: Monday\nTo: Bob\nSubject: Hi\n\nShall I?', 'Yes.'],
  ])('cuts what a reply carries at its end: %s', (_name, text, kept) => {
    expect(trimQuotedText(text)).toBe(kept);
  });

  it.each<[string, string]>([
    ['answers between quoted lines', '> First?\nYes.\n> Second?\nNo.'],
    ['a message that is all quotation', '> Shall I?\n> Ada'],
    ['a forwarded message', '-----Original Message-----\nFrom: Ada\nSubject: Hi\n\nText'],
    ['a line that ends in a colon', 'The parts are:\n\n- bolts\n- nuts'],
    ['one line that looks like a header', 'From: here on it goes downhill.\nThat is all.'],
  ])('keeps %s', (_name, text) => {
    expect(trimQuotedText(text)).toBe(text);
  });

  it('is quick with many lines', () => {
    const text = `${'From: x\n'.repeat(100_000)}${'> q\n'.repeat(100_000)}`;
    expect(trimQuotedText(text).length).toBeGreaterThan(0);
  });
});
