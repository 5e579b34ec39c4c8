import { readFile } from 'node:fs/promises';
import * as tokenizers from '@huggingface/tokenizers';
import { cutText } from '../cut-text.js';

/** Text beyond this many characters a token is not even tokenized; real text has 2–6. */
const CHARACTERS_PER_TOKEN_BOUND = 32;
const COUNT_PIECE_LENGTH = 8_192;

interface Encoder {
  encode(text: string, options?: { add_special_tokens?: boolean }): { ids: number[] };
}

/** The package's own types import each other without extensions, which this module resolution can't follow. */
const { Tokenizer } = tokenizers as unknown as { Tokenizer: new (definition: object, config: object) => Encoder };

/** The model's own tokenizer. */
export class ModelTokenizer {
  private constructor(private readonly tokenizer: Encoder) {}

  static async load(tokenizerPath: string): Promise<ModelTokenizer> {
    const definition = JSON.parse(await readFile(tokenizerPath, 'utf8')) as Record<string, unknown>;
    // MiniLM's file pads everything to 128 tokens and cuts there; one text a run needs neither.
    return new ModelTokenizer(new Tokenizer({ ...definition, truncation: null, padding: null }, {}));
  }

  /** Token ids with the special tokens, at most `maxTokens` of them: the middle is cut, the closing token stays. */
  encode(text: string, maxTokens: number): BigInt64Array {
    const { ids } = this.tokenizer.encode(cutText(text, maxTokens * CHARACTERS_PER_TOKEN_BOUND));
    const kept = ids.length <= maxTokens ? ids : [...ids.slice(0, maxTokens - 1), ids[ids.length - 1]!];
    return BigInt64Array.from(kept, BigInt);
  }

  /** Tokens of the text alone, without the special ones. Linear in its length. */
  count(text: string): number {
    let count = 0;
    for (let start = 0; start < text.length;) {
      const end = findPieceEnd(text, start);
      count += this.tokenizer.encode(text.slice(start, end), { add_special_tokens: false }).ids.length;
      start = end;
    }
    return count;
  }
}

/** Pieces end at white space, where no token spans the cut; a longer run without any is cut hard. */
function findPieceEnd(text: string, start: number): number {
  const limit = start + COUNT_PIECE_LENGTH;
  if (limit >= text.length) return text.length;
  for (let end = limit; end > start; end--) {
    if (/\s/.test(text[end]!)) return end;
  }
  return start + cutText(text.slice(start, limit), COUNT_PIECE_LENGTH).length;
}
