import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { describeSearchIndex } from '../conformance/search-index.conformance.js';
import { createLanceDbIndex } from './create-lancedb-index.js';

jest.setTimeout(120_000);

describe('LanceDB', () => {
  let directory = '';
  describeSearchIndex(
    async () => {
      directory = await mkdtemp(join(tmpdir(), 'candor-lancedb-'));
      return createLanceDbIndex({ directory });
    },
    () => rm(directory, { recursive: true, force: true }),
  );
});
