import { describe, expect, it } from '@jest/globals';
import { toStorableJson } from './to-storable-json.js';

describe('toStorableJson', () => {
  it.each([
    [{ a: 'x\0y' }, '{"a":"x\ufffdy"}'],
    ['\ud83d', '"\ufffd"'],
    ['\udc00x', '"\ufffdx"'],
    ['\ud83d\ude00', '"\ud83d\ude00"'],
    // Text that only looks like an escape stays as it is.
    ['\\u0000', '"\\\\u0000"'],
    ['\\\0', '"\\\\\ufffd"'],
    [{ '\0key': 1 }, '{"\ufffdkey":1}'],
    [undefined, 'null'],
    [null, 'null'],
  ])('%j', (value, expected) => {
    expect(toStorableJson(value)).toBe(expected);
  });
});
