import type { z } from 'zod';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  passageSearchRoute,
  passageSessionRoute,
  readChunkRoute,
  sourceItemRoute,
  type ChunkReading,
  type Passage,
  type passageSearchBodySchema,
} from '@candor/contracts';
import type { ApiClient } from '@candor/testkit';
import { expectError } from '../../harness/expect-error.js';
import { ingestOne } from '../../harness/ingest.js';
import { createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

const QUERY = 'How is the observatory of Tarnvik heated?';
type PassageSearchInput = z.input<typeof passageSearchBodySchema>;
const SECTIONS = ['Heating', 'Telescope', 'Kitchen'];

/** Seed 000's passages: what reasoning stands on. */
export function describeNavigation(world: WorldOf): void {
  describe('passages', () => {
    let client: ApiClient;
    let documentId: string;

    const find = async (body: Partial<PassageSearchInput> = {}): Promise<Passage[]> => {
      const { data } = await client.call(passageSearchRoute, { body: { query: QUERY, ...body } });
      expect(data.meta).toEqual({ query: QUERY, totalResults: data.results.length });
      return data.results;
    };
    const read = async (chunkId: string): Promise<ChunkReading> =>
      (await client.call(readChunkRoute, { params: { chunkId } })).data;

    beforeAll(async () => {
      client = (await createTenant(world(), 'Passages')).admin;
      const section = (name: string): string =>
        Array.from({ length: 4 }, (_, part) =>
          `The ${name.toLowerCase()} of the observatory of Tarnvik is described in part ${part} – naïve café, 東京, 🔭. `.repeat(
            14,
          ),
        ).join('\n\n');
      documentId = await ingestOne(client, {
        provider: 'notion',
        sourceKind: 'document',
        title: 'Observatory of Tarnvik',
        body: SECTIONS.map((name) => `# ${name}\n\n${section(name)}`).join('\n\n'),
        mimeType: 'text/markdown',
        accessPolicy: { provider: 'notion', mode: 'provider_scope' },
      });
    });

    it('are returned with their place in the document', async () => {
      const [best, ...others] = await find({ limit: 50 });
      expect(others.length).toBeGreaterThan(0);
      expect(best).toMatchObject({ documentId, documentTitle: 'Observatory of Tarnvik' });
      expect(best?.content.toLowerCase()).toContain('heating');
      for (const passage of [best, ...others]) expect(['section', 'paragraph']).toContain(passage?.level);
    });

    it('can be read: same text, and offsets that are exactly as long as it', async () => {
      for (const passage of await find({ limit: 10 })) {
        const reading = await read(passage.chunkId);
        expect(reading.content).toBe(passage.content);
        expect(reading).toMatchObject({
          chunkId: passage.chunkId,
          level: passage.level,
          hierarchy: {
            documentId,
            documentTitle: 'Observatory of Tarnvik',
            position: {
              parentId: passage.parentId,
              prev: passage.siblingIds.prev,
              next: passage.siblingIds.next,
              version: 1,
            },
          },
        });
        expect(SECTIONS).toContain(reading.hierarchy.sectionPath[0]);
        const { startIndex, endIndex, wordCount } = reading.metadata;
        expect(endIndex - startIndex).toBe(reading.content.length);
        expect(wordCount).toBeGreaterThan(0);
      }
    });

    it('are slices of one text: where two overlap or follow each other, they agree', async () => {
      const { chunkIds } = await client.call(sourceItemRoute, { params: { id: documentId } });
      const readings = await Promise.all(chunkIds.map(read));
      const text: string[] = [];
      for (const { content, metadata } of readings) {
        for (let offset = 0; offset < content.length; offset += 1) {
          const at = metadata.startIndex + offset;
          const known = text[at];
          if (known !== undefined && known !== content[offset])
            throw new Error(`offset ${at} is ${known} in one chunk and ${content[offset]} in another`);
          text[at] = content[offset] ?? '';
        }
      }
      expect(text.length).toBeGreaterThan(3_000);
      expect(readings.map(({ hierarchy }) => hierarchy.position.ordinal)).toEqual(readings.map((_, index) => index));
      for (const { hierarchy } of readings) expect(hierarchy.position.total).toBe(readings.length);
    });

    it('are walked by their siblings, there and back', async () => {
      const start = (await find({ limit: 50 })).find((passage) => passage.siblingIds.next !== null);
      const next = await read(start?.siblingIds.next ?? '');
      expect(next.hierarchy.position.prev).toBe(start?.chunkId);
      expect(next.hierarchy.position.parentId).toBe(start?.parentId);
    });

    it('never come twice in a session', async () => {
      const { sessionId } = (await client.call(passageSessionRoute)).data;
      const session = { sessionId, limit: 3, documentId };
      const shown: string[] = [];
      for (;;) {
        const page = await find(session);
        if (page.length === 0) break;
        shown.push(...page.map((passage) => passage.chunkId));
        expect(shown.length).toBeLessThan(100);
      }
      expect(new Set(shown).size).toBe(shown.length);
      expect(shown.length).toBeGreaterThan(3);
      expect((await find({ limit: 3 })).length).toBe(3);
    });

    it('never come twice in a session, not even to two searches at once', async () => {
      const { sessionId } = (await client.call(passageSessionRoute)).data;
      const session = { sessionId, limit: 2, documentId };
      const pages = await Promise.all([find(session), find(session), find(session)]);
      const shown = pages.flat().map((passage) => passage.chunkId);
      expect(new Set(shown).size).toBe(shown.length);
      expect(shown.length).toBeGreaterThan(2);
    });

    it('of an unknown session or chunk are not found', async () => {
      const unknown = 'b3f6c1de-0d5a-4a43-8a2f-6f2f0f2b1a90';
      expectError(await client.post(passageSearchRoute.path, { query: QUERY, sessionId: unknown }), {
        status: 404,
        type: 'RESOURCE.NOT_FOUND',
        message: 'There is no such session.',
      });
      expectError(await client.get(`/v1/pd/read/${unknown}`), {
        status: 404,
        type: 'RESOURCE.NOT_FOUND',
        message: 'Not found.',
      });
    });

    it('stay inside a scope, however little they match, and are none in an absent one', async () => {
      const { data } = await client.call(passageSearchRoute, {
        body: { query: 'quarterly turnover of the shoe factory', documentId },
      });
      expect(data.results.length).toBeGreaterThan(0);
      expect(new Set(data.results.map((passage) => passage.documentId))).toEqual(new Set([documentId]));
      const absent = 'b3f6c1de-0d5a-4a43-8a2f-6f2f0f2b1a90';
      expect(await find({ documentId: absent })).toEqual([]);
    });
  });
}
