import { randomUUID } from 'node:crypto';
import type { IndexOperation } from '../search-index.port.js';
import { buildChunk, DIMENSIONS, openFilter, putVersion, unitVector } from './chunk-builder.js';
import { asFound, IndexFixture, type IndexUnderTest } from './index-fixture.js';

const DAY_1 = '2024-05-01T00:00:00.000Z';
const DAY_2 = '2024-05-02T00:00:00.000Z';
const DAY_3 = '2024-05-03T00:00:00.000Z';

/** What an index needs that is built beside another one. */
export function describeBuilding(open: () => IndexUnderTest): void {
  const fixture = (): Promise<IndexFixture> => new IndexFixture(open()).create();

  describe('put-superseded', () => {
    /** Three versions of one item, as a build would write them. */
    function versionsOf(index: IndexFixture): {
      chunks: ReturnType<typeof buildChunk>[];
      build: (last: number) => IndexOperation[];
    } {
      const itemId = randomUUID();
      const days = [DAY_1, DAY_2, DAY_3];
      const chunks = days.map((recordedAt, position) =>
        buildChunk(index.tenantId, { itemId, version: position + 1, recordedAt, vector: unitVector(1, position) }),
      );
      const build = (last: number): IndexOperation[] =>
        chunks.slice(0, last).map((chunk, position) => {
          const supersededAt = days[position + 1] ?? '';
          const { version } = chunk;
          return position === last - 1
            ? putVersion(chunk)
            : { kind: 'put-superseded', itemId, version, supersededAt, chunks: [chunk] };
        });
      return { chunks, build };
    }
    const knownAt = (index: IndexFixture, knownAsOf: string): Promise<unknown> =>
      index.find({ filter: openFilter(index.tenantId, { knownAsOf }) });

    it('writes a whole past in one apply', async () => {
      const index = await fixture();
      const { chunks, build } = versionsOf(index);
      await index.apply(...build(3));
      expect(await index.find()).toEqual([asFound(chunks[2]!)]);
      expect(await knownAt(index, DAY_1)).toEqual([asFound(chunks[0]!)]);
      expect(await knownAt(index, DAY_2)).toEqual([asFound(chunks[1]!)]);
      expect(await knownAt(index, DAY_3)).toEqual([asFound(chunks[2]!)]);
    });

    it('catches up with versions that were missed, each with its own end', async () => {
      const index = await fixture();
      const { chunks, build } = versionsOf(index);
      await index.apply(...build(1));
      await index.apply(...build(3));
      expect(await index.find()).toEqual([asFound(chunks[2]!)]);
      expect(await knownAt(index, '2024-05-01T12:00:00.000Z')).toEqual([asFound(chunks[0]!)]);
      expect(await knownAt(index, '2024-05-02T12:00:00.000Z')).toEqual([asFound(chunks[1]!)]);
      await index.apply(...build(3));
      expect(await index.index.writer.countItem(index.address, chunks[0]?.itemId ?? '')).toBe(3);
    });

    it('goes with its item', async () => {
      const index = await fixture();
      const { chunks, build } = versionsOf(index);
      const itemId = chunks[0]?.itemId ?? '';
      await index.apply(...build(3));
      await index.apply({ kind: 'delete-item', itemId });
      expect(await index.index.writer.countItem(index.address, itemId)).toBe(0);
      expect(await knownAt(index, DAY_1)).toEqual([]);
    });

    it('is refused for another model, as everything is', async () => {
      const index = await fixture();
      const chunk = buildChunk(index.tenantId, { vector: new Float32Array([1, 0]) });
      const { itemId, version } = chunk;
      await expect(
        index.apply({ kind: 'put-superseded', itemId, version, supersededAt: DAY_2, chunks: [chunk] }),
      ).rejects.toMatchObject({ code: 'EMBEDDINGS.PROFILE_MISMATCH' });
    });
  });

  describe('drift of the mapping', () => {
    it('is nothing right after the index was made, also with chunks in it', async () => {
      const index = await fixture();
      await index.apply(putVersion(buildChunk(index.tenantId)));
      expect(await index.index.writer.findDrift(index.address, DIMENSIONS)).toEqual([]);
    });

    it('is told for other dimensions, in both places', async () => {
      const index = await fixture();
      const drift = await index.index.writer.findDrift(index.address, DIMENSIONS + 1);
      expect(drift).toEqual([expect.stringMatching(/^live: vector/), expect.stringMatching(/^history: vector/)]);
    });

    it('is told for an index that is not there', async () => {
      const { address } = new IndexFixture(open());
      const drift = await open().writer.findDrift(address, DIMENSIONS);
      expect(drift.length).toBeGreaterThan(0);
      for (const sentence of drift) expect(sentence).toContain('does not exist');
    });
  });
}
