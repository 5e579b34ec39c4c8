import { describe, expect, it } from '@jest/globals';
import { cutHighlight } from './cut-highlight.js';

const cut = (window: string, startsCut: boolean, endsCut: boolean): string =>
  cutHighlight({ window, startsCut, endsCut });

describe('a highlight', () => {
  it.each([
    ['the whole text', false, false, 'the whole text'],
    [' the whole text\n', false, false, 'the whole text'],
    ['alf a word at the start', true, false, '…a word at the start'],
    ['half a word at the en', false, true, 'half a word at the…'],
    ['alf at both en', true, true, '…at both…'],
    ['oneword', true, true, '…oneword…'],
    [`${'x'.repeat(60)} far`, true, false, `…${'x'.repeat(60)} far`],
    [`far ${'x'.repeat(60)}`, false, true, `far ${'x'.repeat(60)}…`],
    ['', false, false, ''],
  ])('of %j is cut at words', (window, startsCut, endsCut, expected) => {
    expect(cut(window, startsCut, endsCut)).toBe(expected);
  });
});
