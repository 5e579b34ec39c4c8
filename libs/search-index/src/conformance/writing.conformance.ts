import { randomUUID } from 'node:crypto';
import { buildChunk, HOSTILE_STRINGS, openFilter, putVersion, unitVector } from './chunk-builder.js';
import { asFound, IndexFixture, type IndexUnderTest, isSmall } from './index-fixture.js';

const DAY_1 = '2024-05-01T00:00:00.000Z';
const DAY_2 = '2024-05-02T00:00:00.000Z';
const DAY_3 = '2024-05-03T00:00:00.000Z';

export function describeWriting(open: () => IndexUnderTest): void {
  const fixture = (): Promise<IndexFixture> => new IndexFixture(open()).create();

  describe('put-version', () => {
    it('gives a chunk back exactly, right after the apply', async () => {
      const index = await fixture();
      const chunk = buildChunk(index.tenantId, {
        connectorId: 'connector',
        accessMode: 'acl',
        principals: ['user:a', 'group:b'],
        level: 'section',
        ordinal: 3,
        parentId: 'parent',
        previousId: 'previous',
        nextId: 'next',
        sectionPath: ['One', 'Two'],
        vector: unitVector(1, 2, 3, -4),
        validFrom: DAY_1,
        validUntil: DAY_2,
        tags: ['red', 'blue'],
      });
      await index.apply(putVersion(chunk));
      expect(await index.find()).toEqual([asFound(chunk)]);
    });

    it('replaces an older version', async () => {
      const index = await fixture();
      const first = buildChunk(index.tenantId, { recordedAt: DAY_1 });
      const second = buildChunk(index.tenantId, { itemId: first.itemId, version: 2, recordedAt: DAY_2 });
      await index.apply(putVersion(first));
      await index.apply(putVersion(second));
      expect(await index.find()).toEqual([asFound(second)]);
      expect(await index.versions()).toEqual([{ itemId: first.itemId, version: 2, chunks: 1 }]);
      expect(await index.index.writer.countItem(index.address, first.itemId)).toBe(2);
    });

    it('finds what was known at a time, and only then', async () => {
      const index = await fixture();
      const itemId = randomUUID();
      const versions = [DAY_1, DAY_2, DAY_3].map((recordedAt, position) =>
        buildChunk(index.tenantId, { itemId, version: position + 1, recordedAt, vector: unitVector(1, position) }),
      );
      for (const version of versions) await index.apply(putVersion(version));
      const knownAt = (knownAsOf: string): Promise<unknown> =>
        index.find({ filter: openFilter(index.tenantId, { knownAsOf }) });
      expect(await knownAt('2024-04-30T23:59:59.999Z')).toEqual([]);
      expect(await knownAt(DAY_1)).toEqual([asFound(versions[0]!)]);
      expect(await knownAt('2024-05-01T23:59:59.999Z')).toEqual([asFound(versions[0]!)]);
      expect(await knownAt(DAY_2)).toEqual([asFound(versions[1]!)]);
      expect(await knownAt('2025-01-01T00:00:00.000Z')).toEqual([asFound(versions[2]!)]);
      expect(await index.find()).toEqual([asFound(versions[2]!)]);
    });

    it('keeps history when versions come in one apply', async () => {
      const index = await fixture();
      const first = buildChunk(index.tenantId, { recordedAt: DAY_1 });
      const second = buildChunk(index.tenantId, { itemId: first.itemId, version: 2, recordedAt: DAY_2 });
      await index.apply(putVersion(first), putVersion(second));
      expect(await index.find()).toEqual([asFound(second)]);
      expect(await index.find({ filter: openFilter(index.tenantId, { knownAsOf: DAY_1 }) })).toEqual([asFound(first)]);
    });

    it('does not let an older version win', async () => {
      const index = await fixture();
      const newer = buildChunk(index.tenantId, { version: 5, recordedAt: DAY_2 });
      const older = buildChunk(index.tenantId, { itemId: newer.itemId, version: 4, recordedAt: DAY_1 });
      await index.apply(putVersion(newer));
      await index.apply(putVersion(older));
      expect(await index.find()).toEqual([asFound(newer)]);
    });

    it('drops chunks of the same version that are no longer in it', async () => {
      const index = await fixture();
      const [one, two, three] = [1, 2, 3].map((ordinal) => buildChunk(index.tenantId, { itemId: 'item', ordinal }));
      await index.apply(putVersion(one!, two!));
      await index.apply(putVersion(two!, three!));
      expect(await index.findIds()).toEqual([two!.chunkId, three!.chunkId].sort());
      expect(await index.index.writer.countItem(index.address, 'item')).toBe(2);
    });

    it('changes nothing when repeated', async () => {
      const index = await fixture();
      const first = buildChunk(index.tenantId, { recordedAt: DAY_1 });
      const second = buildChunk(index.tenantId, { itemId: first.itemId, version: 2, recordedAt: DAY_2 });
      for (const version of [first, second, first, second, second]) await index.apply(putVersion(version));
      expect(await index.find()).toEqual([asFound(second)]);
      expect(await index.index.writer.countItem(index.address, first.itemId)).toBe(2);
    });

    it('refuses chunks of another tenant, item or model', async () => {
      const index = await fixture();
      const stranger = buildChunk(randomUUID());
      const short = buildChunk(index.tenantId, { vector: new Float32Array([1, 0]) });
      const mixed = { ...buildChunk(index.tenantId), itemId: 'other' };
      await expect(index.apply(putVersion(stranger))).rejects.toMatchObject({ code: 'REQUEST.INVALID' });
      await expect(index.apply(putVersion(short))).rejects.toMatchObject({ code: 'EMBEDDINGS.PROFILE_MISMATCH' });
      await expect(index.apply(putVersion(buildChunk(index.tenantId), mixed))).rejects.toMatchObject({
        code: 'REQUEST.INVALID',
      });
      expect(await index.find()).toEqual([]);
    });

    it('keeps hostile strings in every field and finds by them', async () => {
      const index = await fixture();
      const chunks = HOSTILE_STRINGS.map((hostile, position) =>
        buildChunk(index.tenantId, {
          chunkId: `${position}${hostile}`,
          itemId: `item ${hostile}`,
          connectorId: hostile,
          accessMode: 'acl',
          principals: [hostile],
          title: hostile,
          sectionPath: [hostile, hostile],
          content: `${hostile} words`,
          tags: [hostile],
          vector: unitVector(1, position),
        }),
      );
      await index.apply(...chunks.map((chunk) => putVersion(chunk)));
      for (const chunk of chunks) {
        const [hostile] = chunk.principals;
        const byPrincipal = openFilter(index.tenantId, { principals: [hostile!] });
        const byItem = openFilter(index.tenantId, { itemIds: [chunk.itemId], excludeChunkIds: ['nothing'] });
        const without = openFilter(index.tenantId, { itemIds: [chunk.itemId], excludeChunkIds: [chunk.chunkId] });
        expect(await index.find({ filter: byPrincipal, text: hostile! })).toEqual([asFound(chunk)]);
        expect(await index.find({ filter: byItem, text: hostile! })).toEqual([asFound(chunk)]);
        expect(await index.find({ filter: without, text: hostile! })).toEqual([]);
      }
      for (const chunk of chunks) await index.apply({ kind: 'delete-item', itemId: chunk.itemId });
      expect(await index.find()).toEqual([]);
    });

    it('loads, moves and deletes an item of thousands of chunks', async () => {
      const index = await fixture();
      const chunksOf = (version: number, recordedAt: string): ReturnType<typeof buildChunk>[] =>
        Array.from({ length: 2_500 }, (_, ordinal) =>
          buildChunk(index.tenantId, { itemId: 'large', version, recordedAt, ordinal }),
        );
      await index.apply(putVersion(...chunksOf(1, DAY_1)));
      await index.apply(putVersion(...chunksOf(2, DAY_2)));
      expect(await index.versions()).toEqual([{ itemId: 'large', version: 2, chunks: 2_500 }]);
      expect(await index.index.writer.countItem(index.address, 'large')).toBe(5_000);
      await index.apply({ kind: 'delete-item', itemId: 'large' });
      expect(await index.index.writer.countItem(index.address, 'large')).toBe(0);
    });
  });

  describe('update-metadata', () => {
    it('changes what may change, in all chunks of the item and no other', async () => {
      const index = await fixture();
      const [one, two] = [1, 2].map((ordinal) => buildChunk(index.tenantId, { itemId: 'item', ordinal }));
      const other = buildChunk(index.tenantId);
      await index.apply(putVersion(one!, two!), putVersion(other));
      const metadata = {
        accessMode: 'acl' as const,
        principals: ['user:a'],
        title: 'Harbours',
        sourceUpdatedAt: DAY_3,
        validFrom: DAY_1,
        validUntil: null,
        tags: ['new'],
      };
      await index.apply({ kind: 'update-metadata', itemId: 'item', metadata });
      const found = await index.find();
      expect(found).toHaveLength(3);
      expect(found).toEqual(
        expect.arrayContaining([{ ...asFound(one!), ...metadata }, { ...asFound(two!), ...metadata }, asFound(other)]),
      );
      const { candidates } = await index.search({ text: 'harbour' });
      const lexical = candidates.filter((candidate) => candidate.lexicalRank !== null);
      expect(lexical.map((candidate) => candidate.chunk.itemId)).toEqual(['item', 'item']);
    });

    it('takes access away from old versions too, and nothing else', async () => {
      const index = await fixture();
      const first = buildChunk(index.tenantId, { recordedAt: DAY_1, title: 'Old' });
      const second = buildChunk(index.tenantId, { itemId: first.itemId, version: 2, recordedAt: DAY_2, title: 'New' });
      await index.apply(putVersion(first), putVersion(second));
      const { accessMode: _mode, principals: _principals, ...rest } = second;
      const metadata = { ...rest, accessMode: 'acl' as const, principals: ['user:a'], title: 'Newer' };
      await index.apply({
        kind: 'update-metadata',
        itemId: first.itemId,
        metadata: {
          accessMode: metadata.accessMode,
          principals: metadata.principals,
          title: metadata.title,
          sourceUpdatedAt: metadata.sourceUpdatedAt,
          validFrom: metadata.validFrom,
          validUntil: metadata.validUntil,
          tags: metadata.tags,
        },
      });
      const asOf = (principals: string[]): Promise<unknown> =>
        index.find({ filter: openFilter(index.tenantId, { knownAsOf: DAY_1, principals }) });
      expect(await asOf(['user:b'])).toEqual([]);
      expect(await asOf(['user:a'])).toEqual([{ ...asFound(first), accessMode: 'acl', principals: ['user:a'] }]);
    });

    it('lets a new version decide who sees the old ones', async () => {
      const index = await fixture();
      const versions = [DAY_1, DAY_2, DAY_3].map((recordedAt, position) =>
        buildChunk(index.tenantId, {
          itemId: 'item',
          version: position + 1,
          recordedAt,
          accessMode: 'acl',
          principals: [`user:${position}`],
        }),
      );
      for (const version of versions) await index.apply(putVersion(version));
      for (const [position, count] of [0, 0, 1].entries()) {
        const filter = openFilter(index.tenantId, { knownAsOf: DAY_1, principals: [`user:${position}`] });
        expect(await index.find({ filter })).toHaveLength(count);
      }
    });

    it('of an unknown item does nothing', async () => {
      const index = await fixture();
      const { accessMode, principals, title, sourceUpdatedAt, validFrom, validUntil, tags } = buildChunk(
        index.tenantId,
      );
      const metadata = { accessMode, principals, title, sourceUpdatedAt, validFrom, validUntil, tags };
      await index.apply({ kind: 'update-metadata', itemId: 'unknown', metadata });
      expect(await index.find()).toEqual([]);
    });
  });

  describe('delete-item', () => {
    it('removes live and history of the item, and no other', async () => {
      const index = await fixture();
      const first = buildChunk(index.tenantId, { recordedAt: DAY_1 });
      const second = buildChunk(index.tenantId, { itemId: first.itemId, version: 2, recordedAt: DAY_2 });
      const other = buildChunk(index.tenantId);
      await index.apply(putVersion(first), putVersion(second), putVersion(other));
      await index.apply({ kind: 'delete-item', itemId: first.itemId });
      expect(await index.index.writer.countItem(index.address, first.itemId)).toBe(0);
      expect(await index.find()).toEqual([asFound(other)]);
      const past = openFilter(index.tenantId, { knownAsOf: DAY_1, itemIds: [first.itemId] });
      expect(await index.find({ filter: past })).toEqual([]);
      await index.apply({ kind: 'delete-item', itemId: first.itemId });
    });

    it('follows the order of operations in one apply', async () => {
      const index = await fixture();
      const chunk = buildChunk(index.tenantId);
      const again = { ...chunk, chunkId: randomUUID() };
      await index.apply(putVersion(chunk), { kind: 'delete-item', itemId: chunk.itemId });
      expect(await index.find()).toEqual([]);
      await index.apply(putVersion(chunk), { kind: 'delete-item', itemId: chunk.itemId }, putVersion(again));
      expect(await index.find()).toEqual([asFound(again)]);
    });
  });

  describe('index', () => {
    it('can be made twice, but not with other dimensions', async () => {
      const index = await fixture();
      await index.create();
      const other = index.index.writer.ensureIndex(index.address, 16);
      await expect(other).rejects.toMatchObject({ code: 'EMBEDDINGS.PROFILE_MISMATCH' });
    });

    it('is no empty one when it does not exist, and refuses writes', async () => {
      const index = new IndexFixture(open());
      await expect(index.search()).rejects.toMatchObject({ code: 'DEPENDENCY.INDEX_UNAVAILABLE' });
      const past = index.search({ filter: openFilter(index.tenantId, { knownAsOf: DAY_1 }) });
      await expect(past).rejects.toMatchObject({ code: 'DEPENDENCY.INDEX_UNAVAILABLE' });
      expect(await index.versions()).toEqual([]);
      expect(await index.index.writer.hasIndex(index.address)).toBe(false);
      expect(await index.index.writer.countItem(index.address, 'item')).toBe(0);
      await expect(index.apply(putVersion(buildChunk(index.tenantId)))).rejects.toMatchObject({
        code: 'RESOURCE.NOT_FOUND',
      });
      await index.index.writer.dropIndex(index.address);
    });

    it('is gone when dropped, and can be made again with other dimensions', async () => {
      const index = await fixture();
      await index.apply(putVersion(buildChunk(index.tenantId)));
      await index.index.writer.dropIndex(index.address);
      await expect(index.find()).rejects.toMatchObject({ code: 'DEPENDENCY.INDEX_UNAVAILABLE' });
      await index.index.writer.ensureIndex(index.address, 2, isSmall);
      expect(await index.index.writer.hasIndex(index.address)).toBe(true);
      await index.apply(putVersion(buildChunk(index.tenantId, { vector: new Float32Array([1, 0]) })));
      expect(await index.find({ vector: new Float32Array([1, 0]) })).toHaveLength(1);
    });

    it('keeps tenants and generations apart', async () => {
      const [left, right] = [await fixture(), await fixture()];
      const next = { ...left.address, generation: 'g2' };
      const chunk = buildChunk(left.tenantId, { itemId: 'same' });
      await left.apply(putVersion(chunk));
      await right.apply(putVersion(buildChunk(right.tenantId, { itemId: 'same' })));
      await right.apply({ kind: 'delete-item', itemId: 'same' });
      await left.index.writer.ensureIndex(next, 8, isSmall);
      expect(await left.find()).toEqual([asFound(chunk)]);
      const query = { filter: openFilter(left.tenantId), vector: unitVector(1), text: 'words', k: 5 };
      expect((await left.index.reader.findCandidates(next, query)).candidates).toEqual([]);
      expect((await left.index.reader.findCandidates(right.address, query)).candidates).toEqual([]);
      expect(
        (await right.index.reader.findCandidates(left.address, { ...query, filter: openFilter(right.tenantId) }))
          .candidates,
      ).toEqual([]);
    });

    it.each(['../../etc', 'G1', 'a/b', '', 'x-history', 'x-write', 'x'.repeat(65)])(
      'refuses generation %j',
      async (generation) => {
        const index = new IndexFixture(open());
        const ensure = async (): Promise<void> => index.index.writer.ensureIndex({ ...index.address, generation }, 8);
        await expect(ensure()).rejects.toMatchObject({ code: 'REQUEST.INVALID' });
      },
    );

    it('answers a ping', async () => {
      const { reader, writer } = open();
      await reader.ping();
      await writer.ping();
    });
  });

  describe('concurrent applies', () => {
    it('all arrive', async () => {
      const index = await fixture();
      const chunks = Array.from({ length: 12 }, () => buildChunk(index.tenantId));
      await Promise.all(chunks.map((chunk) => index.apply(putVersion(chunk))));
      expect(await index.findIds()).toEqual(chunks.map((chunk) => chunk.chunkId).sort());
    });
  });
}
