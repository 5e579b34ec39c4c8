import { beforeAll, describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { createCollectionRoute, searchRoute, type searchBodySchema } from '@candor/contracts';
import type { ApiClient } from '@candor/testkit';
import { ingest, ingestOne } from '../../harness/ingest.js';
import { createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

const QUERY = 'lighthouse of Brenholm';
const POLICY = { provider: 'slack', mode: 'provider_scope' } as const;

/** What narrows a search, and what never comes twice. */
export function describeSearch(world: WorldOf): void {
  describe('search', () => {
    let client: ApiClient;
    let ids: string[];
    let collectionId: string;

    const find = async (body: Partial<z.input<typeof searchBodySchema>> = {}): Promise<string[]> => {
      const { hits } = await client.call(searchRoute, { body: { query: QUERY, ...body } });
      return hits.map((hit) => hit.sourceItemId);
    };

    beforeAll(async () => {
      client = (await createTenant(world(), 'Search')).admin;
      const { data } = await client.call(createCollectionRoute, { body: { name: 'Lamps' } });
      collectionId = data.id;
      const years = [2021, 2022, 2023, 2024];
      ids = await ingest(
        client,
        years.map((year, index) => ({
          title: `Lighthouse of Brenholm, report ${year}`,
          body: `The lighthouse of Brenholm was inspected in ${year}; ${index + 2} lamps were replaced.`,
          sourceUpdatedAt: `${year}-06-01T00:00:00Z`,
          accessPolicy: POLICY,
          ...(year === 2022 ? { collectionIds: [collectionId] } : {}),
        })),
      );
    });

    it('shows at most limit items, each once, also when many of its chunks match', async () => {
      const paragraph = (part: number): string =>
        `${'The lighthouse of Brenholm sends its beam over the harbor every night. '.repeat(30)}Part ${part}.`;
      const long = await ingestOne(client, {
        title: 'Chronicle of the lighthouse of Brenholm',
        body: Array.from({ length: 6 }, (_, part) => `## Chapter ${part}\n\n${paragraph(part)}`).join('\n\n'),
        mimeType: 'text/markdown',
        accessPolicy: POLICY,
      });
      const all = await find({ limit: 25 });
      expect(all.filter((id) => id === long)).toHaveLength(1);
      expect(new Set(all).size).toBe(all.length);
      expect(all).toEqual(expect.arrayContaining(ids));
      expect(await find({ limit: 2 })).toHaveLength(2);
    });

    it('is narrowed to one item and to a collection', async () => {
      expect(await find({ sourceItemId: ids[2] })).toEqual([ids[2]]);
      expect(await find({ collectionId: collectionId })).toEqual([ids[1]]);
    });

    it('never searches elsewhere when item and collection have nothing in common', async () => {
      expect(await find({ collectionId, sourceItemId: ids[2] })).toEqual([]);
      const unknown = '3f1f1a6e-57f0-4c3c-9f5c-0d8f4a6f1e11';
      expect(await find({ collectionId: unknown })).toEqual([]);
      expect(await find({ sourceItemId: unknown })).toEqual([]);
    });

    it('is narrowed by the date of the last change at the source', async () => {
      const between = await find({ updatedAfter: '2022-01-01T00:00:00Z', updatedBefore: '2023-12-31T00:00:00Z' });
      expect(between.sort()).toEqual([ids[1], ids[2]].sort());
      expect(await find({ updatedAfter: '2030-01-01T00:00:00+02:00' })).toEqual([]);
    });

    it('answers as of an earlier instant', async () => {
      const before = new Date().toISOString();
      const later = await ingestOne(client, {
        title: 'Lighthouse of Brenholm, report 2025',
        body: 'The lighthouse of Brenholm was inspected in 2025; nine lamps were replaced.',
        accessPolicy: POLICY,
      });
      expect(await find({ limit: 25 })).toContain(later);
      expect(await find({ limit: 25, knownAsOf: before })).not.toContain(later);
      expect(await find({ limit: 25, knownAsOf: '2001-01-01T00:00:00Z' })).toEqual([]);
    });

    it('gives the same items in the order of the fusion on request', async () => {
      const bySimilarity = await find({ limit: 25 });
      const byFusion = await find({ limit: 25, ranking: 'fused' });
      expect([...byFusion].sort()).toEqual([...bySimilarity].sort());
    });

    it('gives the same answer to the same query', async () => {
      const first = await client.call(searchRoute, { body: { query: QUERY } });
      const second = await client.call(searchRoute, { body: { query: `\t${QUERY} ` } });
      expect(second.hits.map(({ sourceItemId, score }) => [sourceItemId, score])).toEqual(
        first.hits.map(({ sourceItemId, score }) => [sourceItemId, score]),
      );
    });

    it('counts the same content once', async () => {
      const document = {
        title: 'Lighthouse of Brenholm, visitors',
        body: 'The lighthouse of Brenholm had 4,120 visitors last summer.',
        accessPolicy: POLICY,
      };
      const twins = await ingest(client, [
        { ...document, externalId: 'twin-a' },
        { ...document, externalId: 'twin-b' },
      ]);
      const found = await find({ limit: 25 });
      expect(twins.filter((id) => found.includes(id))).toHaveLength(1);
    });
  });
}
