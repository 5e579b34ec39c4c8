import { randomUUID } from 'node:crypto';
import { AppError } from '@candor/contracts';
import { cosineOf } from '../merge-legs.js';
import type { ChunkDocument, ChunkFilter } from '../search-index.port.js';
import { buildChunk, openFilter, putVersion, unitVector } from './chunk-builder.js';
import { IndexFixture, type IndexUnderTest } from './index-fixture.js';
import { permitsChunk } from './permits-chunk.js';

export function describeSearching(open: () => IndexUnderTest): void {
  const fixture = (): Promise<IndexFixture> => new IndexFixture(open()).create();

  describe('legs', () => {
    it('find by meaning and by words, with exact cosines for both', async () => {
      const index = await fixture();
      const chunks = [
        buildChunk(index.tenantId, { content: 'the walrus sleeps', vector: unitVector(-1, 0.2, 0.3) }),
        buildChunk(index.tenantId, { content: 'a boat', vector: unitVector(0.9, 0.1, 0.4) }),
        buildChunk(index.tenantId, { content: 'a harbour', vector: unitVector(0.1, 0.9, 0.4) }),
      ];
      await index.apply(...chunks.map((chunk) => putVersion(chunk)));
      const vector = unitVector(1, 0.05);
      const { candidates } = await index.search({ text: 'sleeping walruses', vector, k: 2 });
      expect(candidates).toHaveLength(3);
      const truth = new Map(chunks.map((chunk) => [chunk.chunkId, cosineOf(vector, chunk.vector)]));
      for (const { chunk, cosine } of candidates) expect(cosine).toBeCloseTo(truth.get(chunk.chunkId)!, 5);
      const [walrus, boat, harbour] = chunks.map((chunk) =>
        candidates.find((candidate) => candidate.chunk.chunkId === chunk.chunkId),
      );
      expect(walrus).toMatchObject({ denseRank: null, lexicalRank: 1 });
      expect(walrus!.lexicalScore).toBeGreaterThan(0);
      expect(walrus!.cosine).toBeCloseTo(cosineOf(vector, chunks[0]!.vector), 5);
      expect(boat).toMatchObject({ denseRank: 1, lexicalRank: null, lexicalScore: null });
      expect(harbour).toMatchObject({ denseRank: 2, lexicalRank: null, lexicalScore: null });
    });

    it('take a vector that is still on its way, and its failure', async () => {
      const index = await fixture();
      const chunk = buildChunk(index.tenantId, { content: 'the walrus sleeps' });
      await index.apply(putVersion(chunk));
      const atOnce = await index.search({ text: 'walrus' });
      expect(await index.search({ text: 'walrus', vector: Promise.resolve(unitVector(1)) })).toEqual(atOnce);
      expect(atOnce.candidates).toMatchObject([{ denseRank: 1, lexicalRank: 1 }]);
      const failure = new AppError('EMBEDDINGS.PROFILE_MISMATCH');
      await expect(index.search({ text: 'walrus', vector: Promise.reject(failure) })).rejects.toBe(failure);
      await expect(index.search({ text: 'walrus', vector: Float32Array.of(1, 0) })).rejects.toMatchObject({
        code: 'EMBEDDINGS.PROFILE_MISMATCH',
      });
    });

    it('search titles and section paths, and count a title more', async () => {
      const index = await fixture();
      const [title, section, content] = [
        buildChunk(index.tenantId, { title: 'Walrus care', content: 'nothing else here' }),
        buildChunk(index.tenantId, { sectionPath: ['Guide', 'Walrus'], content: 'nothing else here' }),
        buildChunk(index.tenantId, { content: 'walrus nothing else' }),
      ];
      await index.apply(...[title, section, content].map((chunk) => putVersion(chunk)));
      const { candidates } = await index.search({ text: 'walrus' });
      const rankOf = (chunk: ChunkDocument): number | null | undefined =>
        candidates.find((candidate) => candidate.chunk.chunkId === chunk.chunkId)?.lexicalRank;
      expect(rankOf(title)).toBe(1);
      expect([rankOf(section), rankOf(content)].sort()).toEqual([2, 3]);
    });

    it.each([
      ['Chinese', '夏季剧院在萨克森花园里', '剧院在哪里？'],
      ['Japanese', 'サマーシアターは庭園にあった', '庭園はどこですか'],
      ['Chinese among English', 'The contract 租赁合同 ends in May', '合同'],
    ])('find words that stand without spaces: %s', async (_language, content, text) => {
      const index = await fixture();
      const other = buildChunk(index.tenantId, {
        title: 'A',
        content: '公司的假期政策 and a boat',
        vector: unitVector(1),
      });
      const chunk = buildChunk(index.tenantId, { title: 'B', content, vector: unitVector(-1) });
      await index.apply(putVersion(other), putVersion(chunk));
      const { candidates } = await index.search({ text, vector: unitVector(1) });
      const found = candidates.find((candidate) => candidate.chunk.chunkId === chunk.chunkId);
      expect(found).toMatchObject({ lexicalRank: 1 });
      expect(found?.chunk.content).toBe(content);
    });

    it('take any query text, also none', async () => {
      const index = await fixture();
      await index.apply(putVersion(buildChunk(index.tenantId)));
      for (const text of [
        '',
        ' ',
        '"',
        '((',
        'a AND OR NOT',
        'title:*',
        '\u0000',
        '\\',
        'the',
        'words '.repeat(2_000),
      ]) {
        expect(await index.find({ text })).toHaveLength(1);
      }
    });

    it('take a query of more different words than an engine has clauses for, and find by the first', async () => {
      const index = await fixture();
      const chunk = buildChunk(index.tenantId, { content: 'the walrus sleeps' });
      await index.apply(putVersion(chunk));
      const words = Array.from({ length: 8_000 }, (_, number) => `word${number}`).join(' ');
      expect((await index.search({ text: `walrus ${words}` })).candidates).toMatchObject([{ lexicalRank: 1 }]);
      const ideographs = Array.from({ length: 8_000 }, (_, number) => String.fromCodePoint(0x4e00 + number)).join('');
      expect((await index.search({ text: `walrus ${ideographs}` })).candidates).toMatchObject([{ lexicalRank: 1 }]);
    });

    it('refuse a vector of another model and a senseless k', async () => {
      const index = await fixture();
      await index.apply(putVersion(buildChunk(index.tenantId)));
      const mismatch = index.search({ vector: new Float32Array([1, 0]) });
      await expect(mismatch).rejects.toMatchObject({ code: 'EMBEDDINGS.PROFILE_MISMATCH' });
      for (const k of [0, -1, 1.5, 10_001, Number.NaN]) {
        await expect(index.search({ k })).rejects.toMatchObject({ code: 'REQUEST.INVALID' });
      }
    });

    it('stop for an aborted caller', async () => {
      const index = await fixture();
      await index.apply(putVersion(buildChunk(index.tenantId)));
      const before = index.search({ signal: AbortSignal.abort() });
      await expect(before).rejects.toMatchObject({ code: 'REQUEST.CANCELLED' });
      const controller = new AbortController();
      const during = index.search({ signal: controller.signal });
      controller.abort();
      await expect(during).rejects.toMatchObject({ code: 'REQUEST.CANCELLED' });
    });
  });

  describe('filter', () => {
    let index: IndexFixture;
    let chunks: ChunkDocument[];

    beforeAll(async () => {
      index = await fixture();
      const of = (overrides: Partial<ChunkDocument>): ChunkDocument => buildChunk(index.tenantId, overrides);
      chunks = [
        of({ itemId: 'a', provider: 'slack' }),
        of({ itemId: 'b', provider: 'gmail', accessMode: 'acl', principals: ['user:a', 'group:x'] }),
        of({ itemId: 'c', provider: 'notion', accessMode: 'acl', principals: ['anyone'] }),
        of({ itemId: 'd', provider: 'upload', accessMode: 'acl', principals: [] }),
        of({ itemId: 'e', provider: 'notion', accessMode: 'unknown', principals: ['user:a', 'anyone'] }),
        of({ itemId: 'f', provider: 'slack', accessMode: 'acl', principals: ['user:b'], sourceUpdatedAt: null }),
        of({ itemId: 'g', sourceUpdatedAt: '2024-06-01T00:00:00.000Z', recordedAt: '2024-06-01T00:00:00.000Z' }),
        // Not a principal, whatever it looks like.
        of({ itemId: 'h', accessMode: 'acl', principals: ['scope', 'principal:user:a', 'user:a '] }),
      ];
      await index.apply(...chunks.map((chunk) => putVersion(chunk)));
    });

    const cases: [string, Partial<ChunkFilter>, string][] = [
      ['nothing more', {}, 'abcdefgh'],
      ['providers', { providers: ['slack', 'gmail'] }, 'abf'],
      ['no providers', { providers: [] }, ''],
      ['no principals', { principals: [] }, 'acg'],
      ['a principal', { principals: ['user:a'] }, 'abcg'],
      ['several principals', { principals: ['user:b', 'group:x'] }, 'abcfg'],
      ['a foreign principal', { principals: ['user:z'] }, 'acg'],
      ['principals in another case', { principals: ['USER:A'] }, 'acg'],
      ['items', { itemIds: ['a', 'b', 'zz'] }, 'ab'],
      ['no items', { itemIds: [] }, ''],
      ['excluded items', { excludeItemIds: ['a', 'b'] }, 'cdefgh'],
      ['no excluded items', { excludeItemIds: [], excludeChunkIds: [] }, 'abcdefgh'],
      ['updated after, inclusive', { updatedAfter: '2024-06-01T00:00:00.000Z' }, 'g'],
      ['updated after, with an offset', { updatedAfter: '2024-06-01T02:00:00.001+02:00' }, ''],
      ['updated before, inclusive', { updatedBefore: '2024-03-01T00:00:00Z' }, 'abcdeh'],
      ['known as of', { knownAsOf: '2024-05-01T00:00:00.000Z' }, 'abcdefh'],
      ['all at once', { providers: ['slack', 'gmail'], principals: ['user:a'], excludeItemIds: ['a'] }, 'b'],
    ];
    it.each(cases)('%s', async (_name, overrides, expected) => {
      const filter = openFilter(index.tenantId, overrides);
      const { candidates } = await index.search({ filter });
      expect(
        candidates
          .map((candidate) => candidate.chunk.itemId)
          .sort()
          .join(''),
      ).toBe(expected);
      // The judge of the property test agrees with what is written here by hand.
      const judged = chunks.filter((chunk) => permitsChunk(filter, chunk)).map((chunk) => chunk.itemId);
      expect(judged.join('')).toBe(expected);
      // Every chunk has the word, so each leg alone must have found all.
      for (const candidate of candidates) {
        expect(candidate.denseRank).not.toBeNull();
        expect(candidate.lexicalRank).not.toBeNull();
      }
    });

    it('excludes chunks', async () => {
      const [first, ...others] = chunks;
      const filter = openFilter(index.tenantId, { excludeChunkIds: [first!.chunkId] });
      expect(await index.findIds({ filter })).toEqual(others.map((chunk) => chunk.chunkId).sort());
    });

    it('of another tenant finds nothing', async () => {
      expect(await index.find({ filter: openFilter(randomUUID()) })).toEqual([]);
    });

    it('refuses what is not an instant', async () => {
      for (const field of ['updatedAfter', 'updatedBefore', 'knownAsOf']) {
        const filter = openFilter(index.tenantId, { [field]: 'now-1d' });
        await expect(index.search({ filter })).rejects.toMatchObject({ code: 'REQUEST.INVALID' });
      }
    });

    // 65,536 is as many as Elasticsearch takes in one list.
    it('takes more ids and principals than any collection or key should have', async () => {
      const ids = Array.from({ length: 70_000 }, () => randomUUID());
      const filter = openFilter(index.tenantId, {
        itemIds: [...ids, 'a', 'b'],
        excludeItemIds: ids,
        excludeChunkIds: ids,
        principals: [...ids.map((id) => `user:${id}`), 'user:a'],
      });
      const { candidates } = await index.search({ filter });
      expect(candidates.map(({ chunk }) => chunk.itemId).sort()).toEqual(['a', 'b']);
      for (const candidate of candidates) {
        expect(candidate.denseRank).not.toBeNull();
        expect(candidate.lexicalRank).not.toBeNull();
      }
    });
  });

  describe('a narrow filter', () => {
    it('fills the page when few of many chunks are permitted, and they are the farthest', async () => {
      const index = await fixture();
      const crowd = Array.from({ length: 1_500 }, (_, position) =>
        buildChunk(index.tenantId, {
          vector: unitVector(1, position / 10_000, (position % 7) / 1_000),
          content: 'walrus walrus walrus',
          accessMode: 'acl',
          principals: ['user:crowd'],
        }),
      );
      const few = Array.from({ length: 12 }, (_, position) =>
        buildChunk(index.tenantId, {
          itemId: `few${position}`,
          vector: unitVector(-1, position / 100),
          content: 'one walrus among very many other words that make it long',
          accessMode: 'acl',
          principals: position === 0 ? ['user:one', 'user:few'] : ['user:few'],
        }),
      );
      await index.apply(...crowd.map((chunk) => putVersion(chunk)), ...few.map((chunk) => putVersion(chunk)));
      const legs = async (principal: string, k: number): Promise<[number, number]> => {
        const filter = openFilter(index.tenantId, { principals: [principal] });
        const { candidates } = await index.search({ filter, k, text: 'walrus', vector: unitVector(1) });
        const ranked = (rank: 'denseRank' | 'lexicalRank'): number =>
          candidates.filter((candidate) => candidate[rank] !== null).length;
        return [ranked('denseRank'), ranked('lexicalRank')];
      };
      expect(await legs('user:one', 10)).toEqual([1, 1]);
      expect(await legs('user:few', 10)).toEqual([10, 10]);
      expect(await legs('user:few', 12)).toEqual([12, 12]);
      expect(await legs('user:few', 50)).toEqual([12, 12]);
      expect(await legs('user:crowd', 300)).toEqual([300, 300]);
    });
  });
}
