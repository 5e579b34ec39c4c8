import { describe, expect, it } from '@jest/globals';
import iconv from 'iconv-lite';
import { decodeText } from './decode-text.js';

const HEBREW = 'שלום עולם, זהו מסמך ארוך מספיק כדי שאפשר יהיה לזהות את הקידוד שלו. התקציב אושר בישיבה.';
const JAPANESE =
  '吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所で泣いていた。';
const FRENCH = 'L’été était très chaud cette année; le café coûtait 3,50 € à la terrasse. Où êtes-vous allés ?';
const ENGLISH = 'The lighthouse keeper logs each storm, twice a day.';

describe('decodeText', () => {
  it.each<[string, string, string]>([
    ['utf-8', ENGLISH + HEBREW + JAPANESE, 'utf-8'],
    ['utf-8 with a mark', `\ufeff${FRENCH}`, 'utf-8'],
  ])('reads %s', (_name, text, charset) => {
    const decoded = decodeText(Buffer.from(text, 'utf8'));
    expect(decoded).toEqual({ text: text.replace(/^\ufeff/, ''), charset, isGuess: false });
  });

  it.each(['utf-16le', 'utf-16be', 'utf-32le', 'utf-32be'])(
    'reads %s with and without a byte order mark',
    (charset) => {
      for (const addBOM of [true, false]) {
        const text = `${ENGLISH} ${FRENCH}`;
        expect(decodeText(iconv.encode(text, charset, { addBOM }))).toEqual({ text, charset, isGuess: false });
      }
    },
  );

  it.each<[string, string]>([
    ['windows-1252', FRENCH],
    ['iso-8859-8', HEBREW],
    ['cp932', JAPANESE],
  ])('guesses %s and says so', (charset, text) => {
    expect(decodeText(iconv.encode(text, charset))).toEqual({ text, charset, isGuess: true });
  });

  it('takes iso-2022-jp for what it is, though its bytes are ASCII', () => {
    // The beginning of ESC $ B 4 A ; z ESC ( B, "漢字".
    const bytes = Buffer.concat([Buffer.from('1b2442', 'hex'), Buffer.from('4A;z'), Buffer.from('1b2842', 'hex')]);
    expect(bytes.includes(0x80)).toBe(false);
    expect(decodeText(bytes)?.text).not.toContain('�');
  });

  it.each<[string, string]>([
    ['Shift_JIS', JAPANESE],
    ['iso-8859-8-i', HEBREW],
    ['"windows-1252"', 'déjà vu'],
    ['latin1', '“quoted” – as browsers read it'],
  ])('believes the declaration %s', (declared, text) => {
    const charset = declared.includes('JIS') ? 'cp932' : declared.includes('8859-8') ? 'iso-8859-8' : 'windows-1252';
    expect(decodeText(iconv.encode(text, charset), { declared })).toMatchObject({ text, isGuess: false });
  });

  it('believes valid UTF-8 more than a wrong declaration, and ignores an unknown one', () => {
    expect(decodeText(Buffer.from(FRENCH), { declared: 'iso-8859-1' })?.text).toBe(FRENCH);
    expect(decodeText(Buffer.from(FRENCH), { declared: 'klingon-8' })?.text).toBe(FRENCH);
  });

  it('does not take the end of a sample within a character for broken text', () => {
    const bytes = Buffer.from(JAPANESE);
    expect(decodeText(bytes.subarray(0, 31), { sample: true })?.charset).toBe('utf-8');
    expect(decodeText(bytes.subarray(0, 31))?.charset).not.toBe('utf-8');
  });

  it.each<[string, Buffer]>([
    ['compressed data', Buffer.from('1f8b0800000000000003edbd07601c499625262f6dca7b7f4af54ad7e074a1088060', 'hex')],
    ['zeros', Buffer.alloc(1_000)],
    ['control characters', Buffer.from(Array.from({ length: 400 }, (_, index) => index % 9))],
  ])('refuses %s', (_name, bytes) => {
    expect(decodeText(bytes)).toBeNull();
  });
});
