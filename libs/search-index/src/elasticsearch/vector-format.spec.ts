import type { Client } from '@elastic/elasticsearch';
import { findVectorFormat } from './vector-format.js';

describe('findVectorFormat', () => {
  it.each([
    ['8.19.3', 'array'],
    ['9.2.9', 'array'],
    ['9.3.0', 'binary'],
    ['9.10.1', 'binary'],
    ['10.0.0-SNAPSHOT', 'binary'],
    ['unknown', 'array'],
  ])('%s → %s', async (number, format) => {
    const client = { info: async () => ({ version: { number } }) } as unknown as Client;
    expect(await findVectorFormat(client)).toBe(format);
  });
});
