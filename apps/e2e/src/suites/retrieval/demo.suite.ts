import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  contextRoute,
  NO_RESULTS_REASON,
  PROVIDER_SCOPE_REASON,
  searchRoute,
  type ContextContract10,
} from '@candor/contracts';
import type { ApiClient, ApiResponse } from '@candor/testkit';
import { readEvents } from '../../harness/audit-trail.js';
import { externalIdsOf, readDemoDocuments, readDemoQuestions } from '../../harness/demo-workspace.js';
import { mapLimited } from '../../harness/map-limited.js';
import { createKey, type IssuedKey } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

const QUESTION = 'What did we decide about the brand color?';
const DECISION = 'We decided to keep the lime-green accent (#A3E635) as the brand color.';
/** Told in one Slack thread, and near to nothing that Notion holds. */
const SLACK_ONLY = 'Who brought warm sourdough bread into the Ghent kitchen?';

/** The demo workspace in the default tenant: what a newcomer asks first, and the issue's own scenario. */
export function describeDemo(world: WorldOf): void {
  describe('demo workspace', () => {
    let client: ApiClient;
    beforeAll(async () => {
      ({ client } = await createKey(world().admin));
    });

    it('finds the brand decision by search, best hit first', async () => {
      const { query, hits } = await client.call(searchRoute, { body: { query: QUESTION } });
      expect(query).toBe(QUESTION);
      expect(
        await externalIdsOf(
          client,
          hits.slice(0, 1).map((hit) => hit.sourceItemId),
        ),
      ).toEqual(['page:brand-decisions']);
      expect(hits[0]).toMatchObject({ title: 'Brand decisions', provider: 'notion' });
      expect(hits[0]?.content).toContain(DECISION);
    });

    it('has one of the expected items among the first five for every answerable question', async () => {
      const documents = await readDemoDocuments();
      const missed = await mapLimited(await readDemoQuestions('answerable'), 4, async ({ question, expectItems }) => {
        const wanted = documents.filter(({ externalId }) => expectItems.includes(externalId));
        const { hits } = await client.call(searchRoute, { body: { query: question, limit: 5 } });
        return hits.some((hit) => wanted.some(({ title }) => title === hit.title)) ? [] : [question];
      });
      expect(missed.flat()).toEqual([]);
    });

    it('leaves out a superseded item and names it in contract 1.1', async () => {
      const contract = await client.call(contextRoute, {
        body: { query: 'How much does the Team plan cost?', contractVersion: '1.1' },
      });
      const titles = contract.hits.map((hit) => hit.title);
      expect(titles).toContain('Pricing and plans (2026)');
      expect(titles).not.toContain('Pricing and plans (2025)');
      expect(contract.exclusions).toContainEqual(
        expect.objectContaining({ type: 'superseded', provider: 'notion', count: expect.any(Number) }),
      );
    });

    describe('through a key limited to notion and slack', () => {
      let limited: IssuedKey;
      let response: ApiResponse<ContextContract10>;
      beforeAll(async () => {
        limited = await createKey(world().admin, { allowedProviders: ['notion', 'slack'] });
        response = (await limited.client.exchange(contextRoute, {
          body: { query: QUESTION },
        })) as ApiResponse<ContextContract10>;
      });

      it('shows hits of both, with citations numbered in their order', () => {
        const { hits, citations } = response.body;
        expect([...new Set(hits.map((hit) => hit.provider))].sort()).toEqual(['notion', 'slack']);
        expect(citations).toEqual(
          hits.map(({ sourceItemId, title }, position) => ({ index: position + 1, sourceItemId, title })),
        );
        expect(hits.some((hit) => hit.content.includes(DECISION))).toBe(true);
      });

      it('names each other provider as out of scope, in the exact words', () => {
        expect(response.body.exclusions).toEqual(
          ['google_drive', 'gmail', 'upload'].map((provider) => ({
            type: 'provider_scope',
            provider,
            reason: PROVIDER_SCOPE_REASON,
          })),
        );
        expect(PROVIDER_SCOPE_REASON).toBe('The authenticating API key is not allowed to retrieve this provider.');
        expect(response.body.limitations).toContainEqual({
          code: 'provider_scope_applied',
          message: 'Only notion, slack memory was eligible for retrieval.',
        });
      });

      it('says no_results of a readable provider that has nothing', async () => {
        const { hits, exclusions } = await limited.client.call(contextRoute, { body: { query: SLACK_ONLY } });
        expect([...new Set(hits.map((hit) => hit.provider))]).toEqual(['slack']);
        expect(exclusions.filter(({ type }) => type === 'no_results')).toEqual([
          { type: 'no_results', provider: 'notion', reason: NO_RESULTS_REASON },
        ]);
        expect(NO_RESULTS_REASON).toBe('The provider was allowed for this key, but no matching context was returned.');
      });

      it('has a requestId that finds its audit event', async () => {
        const { contract } = response.body;
        expect(contract.requestId).toBe(response.requestId);
        expect(contract).toMatchObject({ callerApiKeyId: limited.id, callerActorType: 'agent' });
        const [event, ...others] = await readEvents(world().admin, contract.requestId);
        expect(others).toEqual([]);
        expect(event).toMatchObject({
          action: 'context.retrieve',
          outcome: 'succeeded',
          actorApiKeyId: limited.id,
          metadata: {
            query: QUESTION,
            hits: response.body.hits.length,
            providers: ['notion', 'slack'],
            itemIds: expect.arrayContaining(response.body.hits.map((hit) => hit.sourceItemId)),
          },
        });
      });
    });

    describe('items that only some may see', () => {
      it.each([
        { principal: 'user:maren@quillmoor.example', sees: true },
        { principal: 'user:chidi@quillmoor.example', sees: false },
      ])('$principal: $sees', async ({ principal, sees }) => {
        const { client: reader } = await createKey(world().admin, { principals: [principal] });
        const [runway] = await readDemoQuestions('private');
        const { hits } = await reader.call(searchRoute, { body: { query: runway?.question ?? '' } });
        expect(hits.some((hit) => hit.content.includes('runway is 22 months'))).toBe(sees);
        expect(hits.some((hit) => hit.accessPolicy === null)).toBe(false);
        const named = hits.flatMap((hit) => hit.accessPolicy?.principals ?? []);
        expect(named.filter((name) => name !== principal && name !== 'anyone')).toEqual([]);
      });
    });
  });
}
