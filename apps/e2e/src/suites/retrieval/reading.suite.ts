import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  auditEventsRoute,
  expandChunkRoute,
  passageSearchRoute,
  readChunkRoute,
  sourceItemRoute,
  type ChunkReading,
  type ExpandChunkBody,
  type ExpandDirection,
  type ExpandedChunk,
  type IngestDocument,
} from '@candor/contracts';
import { buildDocument, type ApiClient } from '@candor/testkit';
import { expectError } from '../../harness/expect-error.js';
import { ingest } from '../../harness/ingest.js';
import { createKey, createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

const OWNER = 'user:ada@quarry.example';
const CHAPTERS = ['Blasting', 'Hauling', 'Crushing'];
const UNKNOWN_ID = '5d0f7a52-8f0b-4a55-9c37-0a8a3f1f4f10';

/** Long enough that each chapter is several paragraphs. */
function chapter(name: string, parts: number): string {
  const part = (number: number): string =>
    `The ${name.toLowerCase()} in the quarry of Skarven, part ${number} – naïve café, 東京, 🔭, e\u0301. `.repeat(12);
  return Array.from({ length: parts }, (_, number) => part(number)).join('\n\n');
}

/** Reading on from a passage, as an agent does that has found one. */
export function describeReading(world: WorldOf): void {
  describe('reading around a passage', () => {
    let admin: ApiClient;
    let client: ApiClient;
    let documentId: string;
    let readings: ChunkReading[];

    const document = (fields: Partial<IngestDocument> = {}): IngestDocument =>
      buildDocument({
        provider: 'notion',
        sourceKind: 'document',
        externalId: 'quarry',
        title: 'Quarry of Skarven',
        body: CHAPTERS.map((name) => `# ${name}\n\n${chapter(name, 4)}`).join('\n\n'),
        mimeType: 'text/markdown',
        accessPolicy: { provider: 'notion', mode: 'acl', principals: [OWNER] },
        ...fields,
      });
    const read = async (chunkId: string): Promise<ChunkReading> =>
      (await client.call(readChunkRoute, { params: { chunkId } })).data;
    const readAll = async (id: string): Promise<ChunkReading[]> => {
      const { chunkIds } = await client.call(sourceItemRoute, { params: { id } });
      return Promise.all(chunkIds.map(read));
    };
    const expand = async (
      chunkId: string,
      direction: ExpandDirection,
      count?: number,
      reader = client,
    ): Promise<ExpandedChunk[]> => {
      const body = { chunkId, direction, ...(count === undefined ? {} : { count }) } as ExpandChunkBody;
      return (await reader.call(expandChunkRoute, { body })).data.chunks;
    };
    const idsOf = (chunks: readonly { chunkId: string }[]): string[] => chunks.map((chunk) => chunk.chunkId);
    const at = (level: string): ChunkReading[] => readings.filter((reading) => reading.level === level);

    beforeAll(async () => {
      admin = (await createTenant(world(), 'Reading')).admin;
      client = (await createKey(admin, { principals: [OWNER] })).client;
      [documentId = ''] = await ingest(admin, [document()]);
      readings = await readAll(documentId);
    });

    it('shows each chunk as deep_read does, under both names', async () => {
      const [section] = at('section');
      const children = await expand(section?.chunkId ?? '', 'down');
      expect(children.length).toBeGreaterThan(1);
      for (const chunk of children) {
        const reading = await read(chunk.chunkId);
        expect(chunk).toEqual({
          _id: reading.chunkId,
          chunkId: reading.chunkId,
          level: reading.level,
          chunkIndex: reading.hierarchy.position.ordinal,
          documentTitle: 'Quarry of Skarven',
          documentId,
          parentId: section?.chunkId,
          content: reading.content,
        });
      }
    });

    it('goes up to the section and the document, the nearest first', async () => {
      const [paragraph] = at('paragraph');
      const [section] = at('section');
      const [root] = at('document');
      expect(idsOf(await expand(paragraph?.chunkId ?? '', 'up'))).toEqual([section?.chunkId]);
      expect(idsOf(await expand(paragraph?.chunkId ?? '', 'up', 9))).toEqual([section?.chunkId, root?.chunkId]);
    });

    it('goes down to what a chunk directly contains, in reading order', async () => {
      const [root] = at('document');
      expect(idsOf(await expand(root?.chunkId ?? '', 'down'))).toEqual(idsOf(at('section')));
      expect(idsOf(await expand(root?.chunkId ?? '', 'down', 2))).toEqual(idsOf(at('section')).slice(0, 2));
    });

    it('goes to neighbours on both sides, across sections, in reading order', async () => {
      const paragraphs = idsOf(at('paragraph'));
      expect(paragraphs.length).toBeGreaterThan(6);
      const middle = paragraphs[3] ?? '';
      expect(idsOf(await expand(middle, 'next'))).toEqual([paragraphs[4]]);
      expect(idsOf(await expand(middle, 'next', 50))).toEqual(paragraphs.slice(4));
      expect(idsOf(await expand(middle, 'previous', 2))).toEqual(paragraphs.slice(1, 3));
      expect(idsOf(await expand(middle, 'surrounding', 2))).toEqual([1, 2, 4, 5].map((place) => paragraphs[place]));
    });

    it('gives an empty list where there is nothing', async () => {
      const [root, first, last] = [at('document')[0], at('paragraph')[0], at('paragraph').at(-1)];
      const nothing: [string | undefined, ExpandDirection][] = [
        [root?.chunkId, 'up'],
        [root?.chunkId, 'surrounding'],
        [first?.chunkId, 'previous'],
        [last?.chunkId, 'next'],
        [last?.chunkId, 'down'],
      ];
      for (const [chunkId = '', direction] of nothing) expect(await expand(chunkId, direction, 50)).toEqual([]);
    });

    it('says the same of a chunk that is absent and of one that is not the caller’s', async () => {
      const foreign = at('paragraph')[0]?.chunkId ?? '';
      const { client: stranger } = await createKey(admin, { principals: ['user:eve@quarry.example'] });
      const { client: elsewhere } = await createKey(admin, { allowedProviders: ['slack'] });
      for (const [reader, chunkId] of [
        [client, UNKNOWN_ID],
        [stranger, foreign],
        [elsewhere, foreign],
      ] as const) {
        const expected = { status: 404, type: 'RESOURCE.NOT_FOUND', message: 'Not found.' } as const;
        expectError(await reader.post('/v1/pd/expand', { chunkId, direction: 'up' }), expected);
        expectError(await reader.get(`/v1/pd/read/${chunkId}`), expected);
      }
    });

    it('is audited, with ids and without text', async () => {
      const chunkId = at('section')[0]?.chunkId ?? '';
      const response = await client.post('/v1/pd/expand', { chunkId, direction: 'down' });
      const { data } = await admin.call(auditEventsRoute, { query: { requestId: response.requestId } });
      expect(data).toMatchObject([
        { action: 'navigation.expand', outcome: 'succeeded', metadata: { direction: 'down', itemIds: [documentId] } },
      ]);
      expect(JSON.stringify(data)).not.toContain('Skarven');
    });

    it('has offsets into the normalized text: a plain text with its line ends made one', async () => {
      const lines = Array.from({ length: 90 }, (_, number) => `Line ${number} of the log – 漢字, 🪨, e\u0301.`);
      const body = `\uFEFF${lines.join('\r\n')}\r\r\nThe end.`;
      const normalized = `${lines.join('\n')}\n\nThe end.`;
      const [id = ''] = await ingest(admin, [
        document({ externalId: 'log', title: 'Log', body, mimeType: 'text/plain' }),
      ]);
      const all = await readAll(id);
      expect(all.length).toBeGreaterThan(2);
      for (const { content, metadata } of all) {
        expect(content).toBe(normalized.slice(metadata.startIndex, metadata.endIndex));
      }
    });

    it('reads and walks an old version after edits, and says that it is one', async () => {
      const [id = ''] = await ingest(admin, [document({ externalId: 'edited', title: 'Edited' })]);
      const before = await readAll(id);
      await ingest(admin, [document({ externalId: 'edited', title: 'Edited', body: `# New\n\n${chapter('New', 3)}` })]);
      const now = await readAll(id);
      expect(now.every(({ hierarchy }) => hierarchy.position.version === 2 && hierarchy.position.isLive)).toBe(true);
      for (const reading of before) {
        const { hierarchy, ...rest } = await read(reading.chunkId);
        expect(reading).toMatchObject(rest);
        expect(hierarchy.position).toEqual({ ...reading.hierarchy.position, isLive: false });
      }
      const old = before.filter((reading) => reading.level === 'paragraph');
      expect(idsOf(await expand(old[0]?.chunkId ?? '', 'next', 50))).toEqual(idsOf(old).slice(1));
      const { data } = await client.call(passageSearchRoute, { body: { query: 'blasting', documentId: id } });
      expect(data.results.filter((passage) => idsOf(before).includes(passage.chunkId))).toEqual([]);
    });
  });
}
