import { decodeVector, encodeVector } from './chunk-source.js';

describe('decodeVector', () => {
  it('reads big-endian floats in base64, at any alignment', () => {
    for (let length = 1; length <= 9; length += 1) {
      const numbers = Array.from({ length }, (_, index) => Math.fround((index + 1) / -3));
      const bytes = Buffer.alloc(length * 4);
      numbers.forEach((number, index) => bytes.writeFloatBE(number, index * 4));
      expect([...decodeVector(bytes.toString('base64'))]).toEqual(numbers);
    }
  });

  it('reads an array', () => {
    expect(decodeVector([0.5, -1])).toEqual(Float32Array.of(0.5, -1));
  });

  it('refuses a hit without a vector', () => {
    expect(() => decodeVector(undefined)).toThrow('without its vector');
  });
});

describe('encodeVector', () => {
  it('writes what decodeVector reads, and leaves the vector as it is', () => {
    const whole = Float32Array.of(7, 0.5, -1, 1 / 3, 7);
    const part = whole.subarray(1, 4);
    expect(encodeVector(Float32Array.of(0.5))).toBe('PwAAAA==');
    expect(decodeVector(encodeVector(part))).toEqual(part);
    expect(whole).toEqual(Float32Array.of(7, 0.5, -1, 1 / 3, 7));
  });
});
