import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
// eslint-disable-next-line no-restricted-imports -- the test has to fill the index, which the service never does
import { createLanceDbIndex } from '@candor/search-index/write';
import { describeRetrievalProperties, type IndexUnderTest } from './testing/retrieval-properties.js';

jest.setTimeout(240_000);

describe('retrieval over LanceDB', () => {
  let directory: string;
  let index: IndexUnderTest;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'candor-retrieval-'));
    index = { ...createLanceDbIndex({ directory }), isExact: true };
  });
  afterAll(async () => {
    await Promise.all([index.reader.close(), index.writer.close()]);
    await rm(directory, { recursive: true, force: true });
  });

  describeRetrievalProperties(() => index);
});
