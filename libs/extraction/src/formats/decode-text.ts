import { analyse } from 'chardet';
import iconv from 'iconv-lite';

export interface DecodedText {
  /** Without a byte order mark. */
  text: string;
  /** Name that iconv-lite knows, e.g. `windows-1252`. */
  charset: string;
  /** Nothing in the bytes or around them says the charset for sure. */
  isGuess: boolean;
}

export interface DecodeOptions {
  /** Said by the document or its envelope, e.g. `<meta charset>`; a byte order mark is believed more. */
  declared?: string | undefined;
  /** The bytes are the beginning of more: the last character may be cut. */
  sample?: boolean;
}

/** Longest first: the mark of UTF-32LE begins with that of UTF-16LE. */
const BYTE_ORDER_MARKS: readonly [number[], string][] = [
  [[0x00, 0x00, 0xfe, 0xff], 'utf-32be'],
  [[0xff, 0xfe, 0x00, 0x00], 'utf-32le'],
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xfe, 0xff], 'utf-16be'],
  [[0xff, 0xfe], 'utf-16le'],
];
/** What the detector is asked about; the whole of a large text says no more. */
const SAMPLE_BYTES = 256 * 1024;
/** Names that mean more than they say: what is labelled so in the wild has characters of the superset. */
const SUPERSETS: Readonly<Record<string, string>> = {
  'iso-8859-1': 'windows-1252',
  'iso-8859-9': 'windows-1254',
  'iso-8859-8-i': 'iso-8859-8',
  'iso-8859-8-e': 'iso-8859-8',
  'us-ascii': 'windows-1252',
  ascii: 'windows-1252',
  latin1: 'windows-1252',
  ks_c_5601: 'euc-kr',
  gb2312: 'gb18030',
  gbk: 'gb18030',
  shift_jis: 'cp932',
  'shift-jis': 'cp932',
  sjis: 'cp932',
  'windows-31j': 'cp932',
};

/** Null when the bytes are not text of any charset that is known here. */
export function decodeText(bytes: Uint8Array, options: DecodeOptions = {}): DecodedText | null {
  const marked = BYTE_ORDER_MARKS.find(([mark]) => mark.every((byte, index) => bytes[index] === byte));
  if (marked) return accept(bytes.subarray(marked[0].length), marked[1], false);
  const wide = detectWide(bytes);
  if (wide) return accept(bytes, wide, false);
  const utf8 = decodeUtf8(bytes, options.sample === true);
  const declared = options.declared === undefined ? null : normalizeCharset(options.declared);
  if (declared !== null && declared !== 'utf-8') {
    // Plain ASCII is the same in nearly all of them; a wrong label on valid UTF-8 is common.
    if (utf8 !== null && !(declared.startsWith('iso-2022') || declared.startsWith('utf-7'))) {
      return accepted(utf8, 'utf-8', false);
    }
    return accept(bytes, declared, false);
  }
  // ISO-2022 is seven-bit, and so valid UTF-8 that reads as nonsense.
  const isEscaped = bytes.subarray(0, SAMPLE_BYTES).includes(0x1b);
  if (utf8 !== null && !isEscaped) return accepted(utf8, 'utf-8', false);
  const guessed = guessCharset(bytes);
  if (guessed === null) return utf8 === null ? null : accepted(utf8, 'utf-8', false);
  return accept(bytes, guessed, true);
}

/** A charset's name as iconv-lite knows it; null for one it doesn't. */
export function normalizeCharset(name: string): string | null {
  const plain = name
    .trim()
    .toLowerCase()
    .replace(/^["']|["']$/g, '');
  const known = SUPERSETS[plain] ?? plain;
  return iconv.encodingExists(known) ? known : null;
}

function decodeUtf8(bytes: Uint8Array, isSample: boolean): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isSample });
  } catch {
    return null;
  }
}

/** UTF-16 and UTF-32 without a mark, by where the zero bytes are. */
function detectWide(bytes: Uint8Array): string | null {
  const size = Math.min(bytes.length - (bytes.length % 4), 4_096);
  if (size < 8) return null;
  const zeros = [0, 0, 0, 0];
  for (let index = 0; index < size; index += 1) if (bytes[index] === 0) zeros[index % 4]! += 1;
  const [first = 0, second = 0, third = 0, fourth = 0] = zeros.map((count) => count / (size / 4));
  if (first > 0.9 && second > 0.9 && fourth < 0.1) return 'utf-32be';
  if (third > 0.9 && fourth > 0.9 && first < 0.1) return 'utf-32le';
  if (first > 0.4 && third > 0.4 && second < 0.1 && fourth < 0.1) return 'utf-16be';
  if (second > 0.4 && fourth > 0.4 && first < 0.1 && third < 0.1) return 'utf-16le';
  return null;
}

function guessCharset(bytes: Uint8Array): string | null {
  for (const { name, confidence } of analyse(bytes.subarray(0, SAMPLE_BYTES))) {
    if (confidence < 10) break;
    const charset = normalizeCharset(name);
    // UTF-8 was ruled out; UTF-16 and UTF-32 are what binary data looks like.
    if (charset !== null && !charset.startsWith('utf-')) return charset;
  }
  return 'windows-1252';
}

function accept(bytes: Uint8Array, charset: string, isGuess: boolean): DecodedText | null {
  return accepted(iconv.decode(bytes, charset, { stripBOM: true }), charset, isGuess);
}

/** Control characters that no text has; form feed, escape and the like are allowed. */
const BINARY_CONTROLS = /[\u0000-\u0007\u000e-\u001a\u001c-\u001f]/g;

function accepted(text: string, charset: string, isGuess: boolean): DecodedText | null {
  const sample = text.slice(0, 65_536);
  const controls = sample.match(BINARY_CONTROLS)?.length ?? 0;
  if (controls > Math.max(sample.length / 100, isGuess ? 1 : 8)) return null;
  return { text, charset, isGuess };
}
