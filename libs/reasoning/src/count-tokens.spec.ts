import { describe, expect, it } from '@jest/globals';
import { getEncoding } from 'js-tiktoken';
import { loadTokenCounter } from './count-tokens.js';

describe('loadTokenCounter', () => {
  it('counts as the tokenizer library does', async () => {
    const countTokens = await loadTokenCounter();
    const encoding = getEncoding('cl100k_base');
    for (const text of [
      '',
      'Hello, world!',
      'naïve café — 42 %',
      '<chunk id="a">\n',
      'line\n\n  indented',
      '中文文本',
    ]) {
      expect(countTokens(text)).toBe(encoding.encode(text, [], []).length);
    }
  });

  it('counts a long run without spaces in time that grows with its length only', async () => {
    const countTokens = await loadTokenCounter();
    // In one piece the library takes minutes for this.
    expect(countTokens('检索服务只返回最相关的段落'.repeat(2_000))).toBeGreaterThan(10_000);
    expect(countTokens('='.repeat(50_000))).toBeGreaterThan(700);
    expect(countTokens('😀'.repeat(5_000))).toBeGreaterThan(5_000);
  }, 20_000);

  it('takes special tokens for ordinary text', async () => {
    expect((await loadTokenCounter())('<|endoftext|>')).toBeGreaterThan(1);
  });

  it('loads the encoding once', () => {
    expect(loadTokenCounter()).toBe(loadTokenCounter());
  });
});
