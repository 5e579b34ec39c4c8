import type { TiktokenBPE } from 'js-tiktoken/lite';

/** Tokens of a text; pure and synchronous. */
export type TokenCounter = (text: string) => number;

/** The library's merge is worse than quadratic in one unbroken run: 8,000 Chinese characters take minutes. */
const LONGEST_RUN = 64;

let loading: Promise<TokenCounter> | undefined;

/**
 * Counter over `cl100k_base`, whose ranks ship inside the library: nothing is fetched. Loaded once, on first use
 * (about 0.3 s of CPU), so a service calls it at start. A run longer than 64 characters without a token boundary is
 * counted in slices, which never counts fewer tokens than fit in the run's bytes.
 */
export function loadTokenCounter(): Promise<TokenCounter> {
  loading ??= createTokenCounter();
  return loading;
}

async function createTokenCounter(): Promise<TokenCounter> {
  const [{ Tiktoken }, { default: ranks }] = await Promise.all([
    import('js-tiktoken/lite'),
    import('js-tiktoken/ranks/cl100k_base') as Promise<{ default: TiktokenBPE }>,
  ]);
  const encoding = new Tiktoken(ranks);
  const pieces = new RegExp(ranks.pat_str, 'gu');
  // Both lists empty: text that looks like a special token (`<|endoftext|>`) is ordinary text, not an exception.
  const encodedLength = (text: string): number => encoding.encode(text, [], []).length;

  return (text) => {
    let tokens = 0;
    let plainFrom = 0;
    for (const { 0: piece, index } of text.matchAll(pieces)) {
      if (piece.length <= LONGEST_RUN) continue;
      tokens += encodedLength(text.slice(plainFrom, index));
      for (const slice of sliceRun(piece)) tokens += encodedLength(slice);
      plainFrom = index + piece.length;
    }
    return tokens + encodedLength(text.slice(plainFrom));
  };
}

function* sliceRun(run: string): Generator<string> {
  for (let from = 0; from < run.length;) {
    let to = Math.min(run.length, from + LONGEST_RUN);
    if (isHighSurrogate(run.charCodeAt(to - 1)) && to < run.length) to += 1;
    yield run.slice(from, to);
    from = to;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
