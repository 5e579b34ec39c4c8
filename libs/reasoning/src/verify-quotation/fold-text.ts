import { MappedTextBuilder, type MappedText } from './mapped-text.js';

const SINGLE_QUOTES = '\u2018\u2019\u201a\u201b\u2032\u02bc`\u00b4';
const DOUBLE_QUOTES = '\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb';
const DASHES = '\u2010\u2011\u2012\u2013\u2014\u2015\u2212';
const each = (characters: string, folded: string) =>
  Array.from(characters, (character): [string, string] => [character, folded]);
const FOLDED = new Map<string, string>([
  ...each(SINGLE_QUOTES, "'"),
  ...each(DOUBLE_QUOTES, '"'),
  ...each(DASHES, '-'),
  ['\u2026', '...'],
  ['\ufb00', 'ff'],
  ['\ufb01', 'fi'],
  ['\ufb02', 'fl'],
  ['\ufb03', 'ffi'],
  ['\ufb04', 'ffl'],
  // Seen by nobody: soft hyphen and zero-width characters.
  ...each('\u00ad\u200b\u200c\u200d\u2060', ''),
]);

/**
 * Sets aside how a text is set, and nothing that it says: case, typographic quotes, dashes, ligatures, invisible
 * characters, composed or decomposed accents, runs of whitespace. Compatibility forms stay apart: 10² is not 102.
 */
export function foldText(source: string): MappedText {
  const builder = new MappedTextBuilder();
  let index = 0;
  for (const character of source) {
    const start = index;
    index += character.length;
    if (/\s/.test(character)) builder.addSpace(start, index);
    else {
      const folded = FOLDED.get(character) ?? character.normalize('NFD').toLowerCase();
      if (folded !== '') builder.add(folded, start, index);
    }
  }
  return builder.build();
}
