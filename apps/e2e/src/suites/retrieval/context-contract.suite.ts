import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  contextContract10Schema,
  contextContract11Schema,
  contextRoute,
  searchRoute,
  type ContextContract10,
  type ContextContract11,
} from '@candor/contracts';
import type { ApiClient } from '@candor/testkit';
import { ingest } from '../../harness/ingest.js';
import { SlackWorkspace } from '../../harness/slack-workspace.js';
import { connectWorkspace, syncAndWait } from '../../harness/sources.js';
import { createKey, createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

const QUERY = 'Which color is the Aldermoor bridge painted?';
const MINUTE = 60_000;

/** Seed 002: every field of the envelope, with items that have all there is and items that lack something. */
export function describeContextContract(world: WorldOf): void {
  describe('context contract', () => {
    let client: ApiClient;
    let ids: string[];
    let contract: ContextContract10;
    let syncedAt: string;

    beforeAll(async () => {
      const tenant = await createTenant(world(), 'Context contract');
      client = tenant.admin;
      syncedAt = new Date(Date.now() - 90 * MINUTE).toISOString();
      ids = await ingest(client, [
        {
          provider: 'notion',
          sourceKind: 'document',
          title: 'Color of the Aldermoor bridge',
          body: 'The Aldermoor bridge is painted moss green. The council chose the color moss green in March.',
          url: 'https://notion.example/aldermoor/color',
          syncedAt,
          accessPolicy: { provider: 'notion', mode: 'provider_scope', workspaceId: 'w-1' },
        },
        {
          provider: 'slack',
          title: 'Painting the Aldermoor bridge',
          body: 'The painters start on the Aldermoor bridge on Monday; the color is moss green.',
          syncedAt: null,
          accessPolicy: {
            provider: 'slack',
            mode: 'acl',
            principals: ['channel:C9', 'user:ida@moor.example'],
            channelId: 'C9',
          },
        },
        {
          provider: 'google_drive',
          sourceKind: 'file',
          title: 'Paint order for the Aldermoor bridge',
          body: 'We ordered 40 liters of moss green paint, the color of the Aldermoor bridge.',
          syncedAt: new Date(Date.now() + 60 * MINUTE).toISOString(),
        },
        {
          provider: 'gmail',
          title: 'Lunch',
          body: 'Cabbage soup and rye bread are served on Thursday.',
          accessPolicy: { provider: 'gmail', mode: 'provider_scope' },
        },
      ]);
      contract = (await client.call(contextRoute, { body: { query: QUERY } })) as ContextContract10;
    });

    const hitOf = (provider: string) => contract.hits.find((hit) => hit.provider === provider);

    it('1.0 has the documented fields, no field more or less', () => {
      expect(contextContract10Schema.safeParse(contract).error).toBeUndefined();
      expect(keysOf(contract)).toEqual(['citations', 'contract', 'exclusions', 'hits', 'limitations', 'query']);
      expect(keysOf(contract.contract)).toEqual([
        'callerActorType',
        'callerApiKeyId',
        'endpoint',
        'issuedAt',
        'requestId',
        'version',
      ]);
      expect(keysOf(contract.query)).toEqual(['limit', 'raw']);
      for (const hit of contract.hits)
        expect(keysOf(hit)).toEqual([
          'accessPolicy',
          'content',
          'freshness',
          'provider',
          'score',
          'sourceItemId',
          'title',
          'url',
        ]);
      for (const citation of contract.citations) expect(keysOf(citation)).toEqual(['index', 'sourceItemId', 'title']);
      for (const exclusion of contract.exclusions) expect(keysOf(exclusion)).toEqual(['provider', 'reason', 'type']);
      for (const limitation of contract.limitations) expect(keysOf(limitation)).toEqual(['code', 'message']);
      expect(contract.contract).toMatchObject({ version: '1.0', endpoint: '/v1/context' });
      expect(Math.abs(Date.parse(contract.contract.issuedAt) - Date.now())).toBeLessThan(5 * MINUTE);
    });

    it.each(['agent', 'application', 'admin'] as const)('says that the caller is an %s', async (actorType) => {
      const key = await createKey(client, { actorType, allowedActions: ['context'] });
      const { contract: header } = await key.client.call(contextRoute, { body: { query: QUERY } });
      expect(header).toMatchObject({ callerActorType: actorType, callerApiKeyId: key.id });
    });

    it('echoes the query as sent and the limit in force', async () => {
      expect(contract.query).toEqual({ raw: QUERY, limit: 8 });
      const raw = `  ${QUERY}\n`;
      const { query } = await client.call(contextRoute, { body: { query: raw, limit: 3 } });
      expect(query).toEqual({ raw, limit: 3 });
    });

    it('orders hits by score, a cosine between 0 and 1 with four decimals', () => {
      const scores = contract.hits.map((hit) => hit.score);
      expect(scores).toEqual([...scores].sort((left, right) => right - left));
      for (const score of scores) {
        expect(score).toBeGreaterThan(0);
        expect(score).toBeLessThanOrEqual(1);
        expect(score).toBe(Number(score.toFixed(4)));
      }
    });

    it('gives title, matching text and link, null where there is none', () => {
      expect(hitOf('notion')).toMatchObject({
        sourceItemId: ids[0],
        title: 'Color of the Aldermoor bridge',
        content: expect.stringContaining('painted moss green'),
        url: 'https://notion.example/aldermoor/color',
      });
      expect(hitOf('slack')?.url).toBeNull();
    });

    it('gives the age in hours, rounded to a tenth, never negative, and none for an unknown sync', () => {
      expect(hitOf('notion')?.freshness).toEqual({ syncedAt, ageHours: 1.5 });
      expect(hitOf('slack')?.freshness).toBeNull();
      expect(hitOf('google_drive')?.freshness?.ageHours).toBe(0);
      expect(contract.limitations).toContainEqual({
        code: 'missing_sync_timestamp',
        message: 'One or more sources lack freshness metadata.',
      });
    });

    it('preserves the access policy of ingest, and says where there is none', () => {
      expect(hitOf('notion')?.accessPolicy).toEqual({ provider: 'notion', mode: 'provider_scope', workspaceId: 'w-1' });
      expect(hitOf('slack')?.accessPolicy).toEqual({
        provider: 'slack',
        mode: 'acl',
        principals: ['channel:C9', 'user:ida@moor.example'],
        channelId: 'C9',
      });
      expect(hitOf('google_drive')?.accessPolicy).toBeNull();
      expect(contract.limitations).toContainEqual({
        code: 'missing_source_access_policy',
        message: "One or more sources don't have a preserved access policy.",
      });
    });

    it('names every readable provider without a hit, and no scope limit for a key without one', () => {
      expect(contract.exclusions.map(({ type, provider }) => [type, provider])).toEqual([
        ['no_results', 'gmail'],
        ['no_results', 'upload'],
      ]);
      expect(contract.limitations.map(({ code }) => code)).toEqual([
        'missing_sync_timestamp',
        'missing_source_access_policy',
      ]);
    });

    it('says no_context when nothing matches', async () => {
      const { hits, citations, exclusions, limitations } = await client.call(contextRoute, {
        body: { query: QUERY, providers: ['gmail'] },
      });
      expect([hits, citations]).toEqual([[], []]);
      expect(exclusions.map(({ type, provider }) => [type, provider])).toEqual([['no_results', 'gmail']]);
      expect(limitations).toEqual([
        { code: 'no_context', message: "Nothing matching this query was found within the caller's scope." },
        { code: 'provider_scope_applied', message: 'Only gmail memory was eligible for retrieval.' },
      ]);
    });

    it('never widens a key by asking for more', async () => {
      const { client: narrow } = await createKey(client, { allowedProviders: ['notion'] });
      const asked = await narrow.call(contextRoute, { body: { query: QUERY, providers: ['slack', 'notion'] } });
      expect(asked.hits.map((hit) => hit.provider)).toEqual(['notion']);
      const refused = await narrow.call(contextRoute, { body: { query: QUERY, providers: ['slack'] } });
      expect(refused.hits).toEqual([]);
      expect(refused.limitations).toContainEqual({
        code: 'provider_scope_applied',
        message: 'No provider was eligible for retrieval.',
      });
      expect(refused.exclusions.map(({ provider }) => provider).sort()).toEqual([
        'gmail',
        'google_drive',
        'slack',
        'upload',
      ]);
    });

    it('is the same retrieval as search, which has no envelope', async () => {
      const search = await client.send('POST', searchRoute.path, { body: { query: QUERY } });
      expect(keysOf(search.body)).toEqual(['hits', 'query']);
      const { hits } = search.body as Pick<ContextContract10, 'hits'>;
      expect(hits.map(withoutAge)).toEqual(contract.hits.map(withoutAge));
    });

    describe('1.1', () => {
      let extended: ContextContract11;
      beforeAll(async () => {
        extended = (await client.call(contextRoute, {
          body: { query: QUERY, contractVersion: '1.1' },
        })) as ContextContract11;
      });

      it('comes by request only and says everything that 1.0 says', () => {
        expect(contextContract11Schema.safeParse(extended).error).toBeUndefined();
        expect(extended.contract.version).toBe('1.1');
        expect(extended.citations).toEqual(contract.citations);
        expect(extended.limitations).toEqual(contract.limitations);
        const { chunkId, version, contentHash, ranking, validity, ...hit10 } = extended.hits[0] ?? fail();
        expect(withoutAge(hit10)).toEqual(withoutAge(contract.hits[0] ?? fail()));
        expect([chunkId, contentHash]).toEqual([
          expect.stringMatching(/^[0-9a-f-]{36}$/),
          expect.stringMatching(/^[0-9a-f]{64}$/),
        ]);
        expect(version).toBe(1);
        expect(Object.keys(ranking).sort()).toEqual(['dense', 'fused', 'lexical']);
        expect(validity).toEqual({ validFrom: null, validUntil: null, state: 'valid' });
      });

      it('says how it was retrieved and what else was left out', () => {
        expect(extended.retrieval).toMatchObject({
          generationId: expect.stringMatching(/^[0-9a-f-]{36}$/),
          pipelineFingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
          candidates: expect.any(Number),
        });
        const counted = Object.fromEntries(extended.exclusions.map(({ type, count }) => [type, count]));
        expect(counted).toMatchObject({ no_results: null, relevance_floor: 1, access_unknown: 1 });
      });

      it('says that the last sync of a source failed, and to service keys of how many', async () => {
        const workspace = await SlackWorkspace.start();
        const source = await connectWorkspace(client, workspace, { botToken: 'xoxb-wrong' });
        expect((await syncAndWait(client, source.id)).state).toBe('failed');
        const failuresFor = async (reader: ApiClient): Promise<unknown[]> => {
          const body = { query: QUERY, contractVersion: '1.1' as const };
          return (await reader.call(contextRoute, { body })).exclusions
            .filter(({ type }) => type === 'source_error')
            .map((exclusion) => [exclusion.provider, 'count' in exclusion ? exclusion.count : undefined]);
        };
        const { client: person } = await createKey(client, { principals: ['user:ida@moor.example'] });
        const { client: elsewhere } = await createKey(client, { allowedProviders: ['notion'] });
        expect(await failuresFor(client)).toEqual([['slack', 1]]);
        expect(await failuresFor(person)).toEqual([['slack', null]]);
        expect(await failuresFor(elsewhere)).toEqual([]);
        await workspace.stop();
      });
    });
  });
}

function keysOf(value: unknown): string[] {
  return Object.keys(value as object).sort();
}

function withoutAge(hit: object): object {
  return { ...hit, freshness: null };
}

function fail(): never {
  throw new Error('there is no such hit');
}
