import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  contextRoute,
  searchRoute,
  sourceItemRoute,
  type ContextContract11,
  type IngestDocument,
} from '@candor/contracts';
import { buildDocument, type ApiClient, type DocumentFields } from '@candor/testkit';
import { ingest } from '../../harness/ingest.js';
import { createKey, createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

const QUERY = 'What does the ferry to Havnes cost?';
const OWNER = 'user:liv@ferry.example';

/** What was known when: edits, declarations and their withdrawal, and what a contract says about it. */
export function describeAsOf(world: WorldOf): void {
  describe('as of an earlier time', () => {
    let client: ApiClient;
    const ids: Record<string, string> = {};
    /** Right after each chapter of the story. */
    const times: Record<'start' | 'tariff' | 'edited' | 'replaced' | 'withdrawn', string> = {
      start: '',
      tariff: '',
      edited: '',
      replaced: '',
      withdrawn: '',
    };

    const fare = (externalId: string, price: string, fields: DocumentFields = {}): IngestDocument =>
      buildDocument({
        externalId,
        title: `Ferry to Havnes, ${externalId}`,
        body: `The ferry to Havnes costs ${price} crowns.`,
        accessPolicy: { provider: 'slack', mode: 'acl', principals: [OWNER] },
        ...fields,
      });
    const push = async (document: IngestDocument): Promise<void> => {
      const [id = ''] = await ingest(client, [document]);
      ids[document.externalId] = id;
    };
    const ask = async (knownAsOf?: string, reader = client): Promise<ContextContract11> =>
      (await reader.call(contextRoute, {
        body: { query: QUERY, contractVersion: '1.1', ...(knownAsOf === undefined ? {} : { knownAsOf }) },
      })) as ContextContract11;
    const prices = (contract: ContextContract11): string[] =>
      contract.hits.map((hit) => /costs (\w+) crowns/.exec(hit.content)?.[1] ?? '').sort();
    const countsOf = (contract: ContextContract11): Record<string, number | null> =>
      Object.fromEntries(
        contract.exclusions
          .filter(({ type }) => type === 'superseded' || type === 'not_yet_known')
          .map(({ type, count }) => [type, count]),
      );

    beforeAll(async () => {
      client = (await createTenant(world(), 'As of')).admin;
      times.start = new Date().toISOString();
      await push(fare('tariff', 'forty', { validUntil: '2026-01-01T00:00:00Z' }));
      times.tariff = new Date().toISOString();
      await push(fare('tariff', 'fifty', { validFrom: '2020-01-01T00:00:00Z' }));
      times.edited = new Date().toISOString();
      await push(fare('notice', 'sixty', { supersedes: ['tariff'] }));
      times.replaced = new Date().toISOString();
      // The same content: only what it declares is new.
      await push(fare('notice', 'sixty'));
      times.withdrawn = new Date().toISOString();
    }, 180_000);

    it('today has the newest of everything, since nothing replaces anything any more', async () => {
      expect(prices(await ask())).toEqual(['fifty', 'sixty']);
    });

    it('what was eligible then is eligible again, whatever was edited, declared and withdrawn since', async () => {
      expect(prices(await ask(times.start))).toEqual([]);
      expect(prices(await ask(times.tariff))).toEqual(['forty']);
      expect(prices(await ask(times.edited))).toEqual(['fifty']);
      expect(prices(await ask(times.replaced))).toEqual(['sixty']);
      expect(prices(await ask(times.withdrawn))).toEqual(['fifty', 'sixty']);
      const { hits } = await client.call(searchRoute, { body: { query: QUERY, knownAsOf: times.tariff } });
      expect(hits.map((hit) => hit.content)).toEqual(['The ferry to Havnes costs forty crowns.']);
    });

    it('is accounted for: what came later, and what was replaced then', async () => {
      expect(countsOf(await ask(times.start))).toEqual({ not_yet_known: 2 });
      expect(countsOf(await ask(times.tariff))).toEqual({ not_yet_known: 2 });
      expect(countsOf(await ask(times.edited))).toEqual({ not_yet_known: 1 });
      expect(countsOf(await ask(times.replaced))).toEqual({ superseded: 1 });
      expect(countsOf(await ask(times.withdrawn))).toEqual({});
    });

    it('judges validity as it was declared then, at that time', async () => {
      const validityAt = async (knownAsOf?: string) =>
        (await ask(knownAsOf)).hits.find((hit) => hit.sourceItemId === ids['tariff'])?.validity;
      expect(await validityAt(times.tariff)).toEqual({
        validFrom: null,
        validUntil: '2026-01-01T00:00:00.000Z',
        state: 'expired',
      });
      expect(await validityAt()).toEqual({ validFrom: '2020-01-01T00:00:00.000Z', validUntil: null, state: 'valid' });
    });

    it('is no way around access: who may see an item is a fact of today', async () => {
      const { client: stranger } = await createKey(client, { principals: ['user:eve@ferry.example'] });
      const { client: owner } = await createKey(client, { principals: [OWNER] });
      expect(prices(await ask(times.tariff, owner))).toEqual(['forty']);
      const hidden = await ask(times.tariff, stranger);
      expect([prices(hidden), countsOf(hidden)]).toEqual([[], {}]);
    });

    it('says which items could not be read, to those who may see them', async () => {
      const broken = (accessPolicy: IngestDocument['accessPolicy']): IngestDocument =>
        buildDocument({ body: '<script>x</script>', mimeType: 'text/html', accessPolicy });
      const acl = { provider: 'slack' as const, mode: 'acl' as const, principals: [OWNER] };
      await expect(ingest(client, [broken(acl)])).rejects.toThrow('EXTRACT.EMPTY');
      await expect(ingest(client, [broken(null)])).rejects.toThrow('EXTRACT.EMPTY');
      const errorsFor = async (reader: ApiClient, knownAsOf?: string): Promise<unknown[]> =>
        (await ask(knownAsOf, reader)).exclusions
          .filter(({ type }) => type === 'source_error')
          .map(({ provider, count }) => [provider, count]);
      const { client: owner } = await createKey(client, { principals: [OWNER] });
      const { client: stranger } = await createKey(client, { principals: ['user:eve@ferry.example'] });
      const { client: elsewhere } = await createKey(client, { allowedProviders: ['notion'] });
      expect(await errorsFor(client)).toEqual([['slack', 2]]);
      expect(await errorsFor(owner)).toEqual([['slack', 1]]);
      expect(await errorsFor(stranger)).toEqual([]);
      expect(await errorsFor(elsewhere)).toEqual([]);
      expect(await errorsFor(client, times.withdrawn)).toEqual([]);
    });

    it('goes with its item: what is deleted is gone as of any time', async () => {
      const id = ids['tariff'] ?? '';
      expect((await client.call(sourceItemRoute, { params: { id } })).version).toBe(2);
      expect((await client.delete(`/v1/source-items/${id}`)).status).toBe(202);
      for (const time of Object.values(times)) expect(prices(await ask(time))).not.toContain('forty');
      expect(prices(await ask(times.edited))).toEqual([]);
    });
  });
}
