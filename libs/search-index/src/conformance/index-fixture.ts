import { randomUUID } from 'node:crypto';
import type {
  CandidateQuery,
  CandidateResult,
  CountChunks,
  FoundChunk,
  IndexAddress,
  IndexOperation,
  SearchIndexReader,
  SearchIndexWriter,
} from '../search-index.port.js';
import { DIMENSIONS, openFilter, unitVector } from './chunk-builder.js';

export interface IndexUnderTest {
  reader: SearchIndexReader;
  writer: SearchIndexWriter;
}

/** A chunk as a search is to give it back; adapters may add what they keep beside it. */
export function asFound(
  chunk: FoundChunk & { vector?: unknown; supersededAt?: unknown; generation?: unknown },
): FoundChunk {
  const { vector: _vector, supersededAt: _supersededAt, generation: _generation, ...found } = chunk;
  return found;
}

/** Small enough for an adapter that lets small tenants share a place; three shards where each is made for one chunk. */
export const isSmall: CountChunks = async () => 3;

/** A tenant of its own on a real index, with the calls the tests make shortened. */
export class IndexFixture {
  /** Of every fixture so far: what a suite may remove from a server that others use at the same time. */
  static readonly tenantIds = new Set<string>();
  readonly tenantId = randomUUID();
  readonly address: IndexAddress = { tenantId: this.tenantId, generation: 'g1' };

  constructor(readonly index: IndexUnderTest) {
    IndexFixture.tenantIds.add(this.tenantId);
  }

  async create(): Promise<this> {
    await this.index.writer.ensureIndex(this.address, DIMENSIONS, isSmall);
    return this;
  }

  apply(...operations: IndexOperation[]): Promise<void> {
    return this.index.writer.apply(this.address, operations);
  }

  search(query: Partial<CandidateQuery> = {}): Promise<CandidateResult> {
    const filter = openFilter(this.tenantId);
    return this.index.reader.findCandidates(this.address, {
      filter,
      vector: unitVector(1),
      text: 'words',
      k: 50,
      ...query,
    });
  }

  async find(query: Partial<CandidateQuery> = {}): Promise<FoundChunk[]> {
    return (await this.search(query)).candidates.map(({ chunk }) => asFound(chunk));
  }

  async findIds(query: Partial<CandidateQuery> = {}): Promise<string[]> {
    return (await this.find(query)).map((chunk) => chunk.chunkId).sort();
  }

  async versions(): Promise<{ itemId: string; version: number; chunks: number }[]> {
    const versions = [];
    for await (const version of this.index.writer.listVersions(this.address)) versions.push(version);
    return versions.sort((left, right) => (left.itemId < right.itemId ? -1 : 1));
  }
}
