import { beforeAll, describe, expect, it } from '@jest/globals';
import { sourceItemRoute, verifyCitationsRoute, type CitationCheck, type VerifyCitationsBody } from '@candor/contracts';
import { buildDocument, type ApiClient, type DocumentFields } from '@candor/testkit';
import { readEvents } from '../../harness/audit-trail.js';
import { ingest, ingestOne } from '../../harness/ingest.js';
import { createKey, createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

const BODY = 'The ferry of Skarvik leaves at nine – never “late”. It carries 40 cars.';

/** Quotations against their sources: what was cited, and whether it still stands there. */
export function describeCitations(world: WorldOf): void {
  describe('citations', () => {
    let client: ApiClient;
    let itemId: string;
    let chunkId: string;
    beforeAll(async () => {
      client = (await createTenant(world(), 'Citations')).admin;
      itemId = await ingestOne(client, ferry());
      chunkId = await firstChunkOf(itemId);
    });

    const ferry = (fields: DocumentFields = {}) =>
      buildDocument({
        externalId: 'ferry',
        title: 'Ferry of Skarvik',
        body: BODY,
        accessPolicy: { provider: 'slack', mode: 'provider_scope' },
        ...fields,
      });
    const firstChunkOf = async (id: string): Promise<string> =>
      (await client.call(sourceItemRoute, { params: { id } })).chunkIds[0] ?? '';
    const verify = async (citations: VerifyCitationsBody['citations'], reader = client): Promise<CitationCheck[]> =>
      (await reader.call(verifyCitationsRoute, { body: { citations } })).data.results;

    it('are verified, repaired or rejected, in their order, with the exact words and offsets of the source', async () => {
      const results = await verify([
        { chunkId, quotation: 'leaves  at\nnine' },
        { chunkId, quotation: 'the FERRY of Skarvik leaves at nine - never "late"' },
        { chunkId, quotation: 'It carries 50 cars.' },
        { chunkId, quotation: ' \n ' },
      ]);
      const start = BODY.indexOf('leaves');
      const repaired = 'The ferry of Skarvik leaves at nine – never “late”';
      expect(results).toEqual([
        { chunkId, status: 'verified', start, end: start + 'leaves at nine'.length, quotation: 'leaves at nine' },
        { chunkId, status: 'repaired', start: 0, end: repaired.length, quotation: repaired },
        { chunkId, status: 'rejected', reason: 'not_found' },
        { chunkId, status: 'rejected', reason: 'empty_quotation' },
      ]);
    });

    it('tell nobody about chunks that are absent, deleted, or not theirs to read', async () => {
      const hidden = await ingestOne(
        client,
        ferry({
          externalId: 'hidden',
          accessPolicy: { provider: 'slack', mode: 'acl', principals: ['user:ada@skarvik.example'] },
        }),
      );
      const hiddenChunk = await firstChunkOf(hidden);
      const gone = await ingestOne(client, ferry({ externalId: 'gone' }));
      const goneChunk = await firstChunkOf(gone);
      await client.send('DELETE', `/v1/source-items/${gone}`);
      const { client: outsider } = await createKey(client, { principals: ['user:bo@skarvik.example'] });
      const { client: insider } = await createKey(client, { principals: ['user:ada@skarvik.example'] });
      const { admin: stranger } = await createTenant(world(), 'Strangers to the ferry');
      const quotation = 'It carries 40 cars.';
      const unknown = { status: 'rejected', reason: 'unknown_chunk' };
      const absent = 'b3f6c1de-0d5a-4a43-8a2f-6f2f0f2b1a90';
      for (const id of [absent, '1', hiddenChunk, goneChunk])
        expect(await verify([{ chunkId: id, quotation }], outsider)).toEqual([{ chunkId: id, ...unknown }]);
      expect(await verify([{ chunkId, quotation }], stranger)).toEqual([{ chunkId, ...unknown }]);
      expect(await verify([{ chunkId: hiddenChunk, quotation }], insider)).toMatchObject([{ status: 'verified' }]);
    });

    it('are checked against the current version, or against the cited one', async () => {
      const id = await ingestOne(client, ferry({ externalId: 'changing' }));
      const before = await client.call(sourceItemRoute, { params: { id } });
      const oldChunk = before.chunkIds[0] ?? '';
      const contentHash = before.versions.at(-1)?.contentHash ?? '';
      await ingest(client, [
        ferry({ externalId: 'changing', body: 'Timetable. The ferry of Skarvik leaves at nine, with 60 cars.' }),
      ]);
      const kept = 'The ferry of Skarvik leaves at nine';
      expect(
        await verify([
          { chunkId: oldChunk, quotation: kept },
          { chunkId: oldChunk, quotation: 'It carries 40 cars.' },
          { chunkId: oldChunk, quotation: 'It carries 40 cars.', contentHash },
          { chunkId: oldChunk, quotation: 'with 60 cars', contentHash },
          { chunkId: oldChunk, quotation: 'with 60 cars' },
          { chunkId: oldChunk, quotation: kept, contentHash: 'f'.repeat(64) },
        ]),
      ).toEqual([
        { chunkId: oldChunk, status: 'verified', start: 11, end: 11 + kept.length, quotation: kept },
        { chunkId: oldChunk, status: 'rejected', reason: 'version_changed' },
        { chunkId: oldChunk, status: 'verified', start: 52, end: 71, quotation: 'It carries 40 cars.' },
        { chunkId: oldChunk, status: 'rejected', reason: 'not_found' },
        // The chunk that was cited never said so.
        { chunkId: oldChunk, status: 'rejected', reason: 'elsewhere_in_item' },
        { chunkId: oldChunk, status: 'rejected', reason: 'unknown_version' },
      ]);
    });

    it('that stand elsewhere in the item are told apart from those that stand nowhere', async () => {
      const section = (name: string) => `# ${name}\n\n${`The ${name} of the ferry is kept in good order. `.repeat(60)}`;
      const id = await ingestOne(
        client,
        ferry({ externalId: 'long', mimeType: 'text/markdown', body: `${section('engine')}\n\n${section('galley')}` }),
      );
      const { chunkIds } = await client.call(sourceItemRoute, { params: { id } });
      const quotation = 'The galley of the ferry is kept in good order.';
      const results = await verify(chunkIds.map((each) => ({ chunkId: each, quotation })));
      const told = new Set(results.map(({ status, reason }) => reason ?? status));
      expect([...told].sort()).toEqual(['elsewhere_in_item', 'verified']);
    });

    it('leave counts and ids in the audit trail, and no words', async () => {
      const response = await client.send('POST', verifyCitationsRoute.path, {
        body: {
          citations: [
            { chunkId, quotation: 'It carries 40 cars.' },
            { chunkId, quotation: 'planted words' },
          ],
        },
      });
      const events = await readEvents(client, response.requestId ?? '');
      expect(events.map(({ action, outcome }) => [action, outcome])).toEqual([['citation.verify', 'succeeded']]);
      expect(events[0]?.metadata).toMatchObject({
        itemIds: [itemId],
        citations: { verified: 1, repaired: 0, rejected: 1 },
      });
      expect(JSON.stringify(events)).not.toMatch(/planted|carries/);
    });
  });
}
