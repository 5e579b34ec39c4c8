const STOP_WORDS = new Set(
  `a about after again all also am an and any are as at be because been before being between both but by can could did do
  does doing down during each few for from further get had has have having he her here hers him his how i if in into is it
  its itself just let like may me might more most must my no nor not of off on once only or other our out over own per
  please said same say says shall she should so some such tell than that the their them then there these they this those
  through to too under until up upon us use used was we were what when where which while who whom whose why will with
  within would you your`.split(/\s+/),
);

const CJK_RUN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]+/gu;

/** @param word lower-cased. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** Content words in order, lower-cased and stemmed; scripts without spaces give pairs of characters. */
export function tokenizeWords(text: string): string[] {
  const words: string[] = [];
  for (const [run] of text
    .normalize('NFKC')
    .toLowerCase()
    .matchAll(/[\p{L}\p{M}\p{N}]+(?:['’][\p{L}]+)?/gu)) {
    let rest = run;
    for (const [pairs] of run.matchAll(CJK_RUN)) {
      rest = rest.replace(pairs, ' ');
      const characters = Array.from(pairs);
      if (characters.length === 1) words.push(pairs);
      for (let index = 0; index + 1 < characters.length; index += 1) {
        words.push(`${characters[index]}${characters[index + 1]}`);
      }
    }
    for (const word of rest.split(' ')) {
      if (word !== '' && !isStopWord(word)) words.push(stemWord(word));
    }
  }
  return words;
}

/**
 * Light English stemming: plural, possessive, -ing, -ed, -ly, -ment and the like; enough to match, not to read. For
 * telling relevant from irrelevant it does as well as the Porter and Snowball stemmers (`docs/reference/relevance-floor.md`).
 * The stem is always the beginning of the word.
 */
export function stemWord(word: string): string {
  let stem = word
    .replace(/['’].*$/u, '')
    .normalize('NFD')
    .replace(/\p{M}/gu, '');
  if (stem.length <= 3 || /\d/.test(stem)) return stem;
  stem = stem
    .replace(/ies$/, 'y')
    .replace(/sses$/, 'ss')
    .replace(/([^su])s$/, '$1');
  for (const suffix of [
    'ization',
    'ational',
    'fulness',
    'ations',
    'ation',
    'ingly',
    'edly',
    'ment',
    'ness',
    'tion',
    'sion',
    'ally',
    'ing',
    'ed',
    'ly',
    'er',
    'or',
    'al',
    'ion',
  ]) {
    if (stem.endsWith(suffix) && stem.length - suffix.length >= 4 - Number(suffix.length > 3)) {
      stem = stem.slice(0, -suffix.length);
      break;
    }
  }
  return stem
    .replace(/([bdfglmnprt])\1$/, '$1')
    .replace(/[ey]$/, '')
    .replace(/i$/, '');
}
