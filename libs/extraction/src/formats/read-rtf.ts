import iconv from 'iconv-lite';
import type { FileText } from './file-text.js';
import { RtfTextBuilder } from './rtf-text-builder.js';
import { normalizeCharset } from './decode-text.js';
import { requireText } from './read-text.js';

/** A control word with its number, a control sign, a hex byte, a bracket, or plain text. */
const TOKEN = /\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\(\r\n|[^a-zA-Z])|([{}])|[\r\n]+|([^\\{}\r\n]+)/g;

/** Text, paragraphs and table cells; formatting, pictures, headers and footers are left out. */
export function readRtf(bytes: Uint8Array): FileText {
  // The format is ASCII; other bytes are characters of the stated code page.
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  requireText(bytes, { declared: 'windows-1252' });
  const codePage = /\\ansicpg(\d{3,5})/.exec(source.slice(0, 4_000))?.[1] ?? '1252';
  const charset = normalizeCharset(`cp${codePage}`) ?? 'windows-1252';
  const builder = new RtfTextBuilder((run) => iconv.decode(run, charset));
  for (const [, word, number, hex, sign, bracket, plain] of source.matchAll(TOKEN)) {
    if (word !== undefined) builder.word(word, number === undefined ? null : Number(number));
    else if (hex !== undefined) builder.bytes(Buffer.from([Number.parseInt(hex, 16)]));
    else if (sign !== undefined) builder.sign(sign);
    else if (bracket !== undefined) builder.bracket(bracket);
    else if (plain !== undefined) builder.bytes(Buffer.from(plain, 'latin1'));
  }
  return {
    title: builder.info('title'),
    authorName: builder.info('author'),
    body: builder.finish(),
    mimeType: 'text/plain',
    warnings: [],
  };
}
