import { expect } from '@jest/globals';
import { readChunkRoute, type ReasonData } from '@candor/contracts';
import type { ApiClient } from '@candor/testkit';

export interface CitedStatement {
  text: string;
  chunkIds: string[];
}

const TOKENS = /\[\[([0-9a-f-]{36})\]\]/g;

/** The statements of an answer and the chunks that each cites. */
export function readStatements(answer: string): CitedStatement[] {
  return answer.split('\n\n').map((paragraph) => ({
    text: paragraph.replace(TOKENS, '').trim(),
    chunkIds: [...paragraph.matchAll(TOKENS)].map(([, chunkId = '']) => chunkId),
  }));
}

/**
 * Every statement of an extractive answer is a sentence of each chunk it cites, as `pd/read` shows that chunk;
 * and the citations are exactly the chunks of the tokens, in order of first use, once each.
 */
export async function expectQuotedAnswer(client: ApiClient, data: ReasonData): Promise<void> {
  const statements = readStatements(data.answer);
  for (const { text, chunkIds } of statements) {
    expect(text).not.toBe('');
    expect(chunkIds.length).toBeGreaterThan(0);
    const readings = await Promise.all(chunkIds.map((chunkId) => client.call(readChunkRoute, { params: { chunkId } })));
    for (const reading of readings) expect(wordsOf(reading.data.content)).toContain(wordsOf(text));
  }
  const firstUse = [...new Set(statements.flatMap(({ chunkIds }) => chunkIds))];
  expect(data.citations.map(({ chunkId }) => chunkId)).toEqual(firstUse);
}

/** The text without its mark-up: a statement is shown plainly, its source may have it in bold. */
function wordsOf(text: string): string {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
}
