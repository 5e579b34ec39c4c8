import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  approveProposalRoute,
  listProposalsRoute,
  reasoningRoute,
  rejectProposalRoute,
  sourceItemRoute,
  type Proposal,
} from '@candor/contracts';
import { buildDocument, type ApiClient } from '@candor/testkit';
import { readEvents } from '../../harness/audit-trail.js';
import { expectError } from '../../harness/expect-error.js';
import { ingest } from '../../harness/ingest.js';
import { waitForProposals } from '../../harness/proposals.js';
import { createKey, createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

const QUESTION = 'What is the request limit of the Tollevik gateway?';

/** What rules infer, and what becomes of it when a person has looked at it. */
export function describeProposals(world: WorldOf): void {
  describe('proposals', () => {
    let client: ApiClient;
    let itemIds: string[];
    let proposals: Proposal[];
    beforeAll(async () => {
      client = (await createTenant(world(), 'Proposals')).admin;
      const say = (externalId: string, body: string, fields = {}) =>
        buildDocument({
          externalId,
          title: `Tollevik ${externalId}`,
          body,
          sourceUpdatedAt: '2026-03-01T00:00:00Z',
          accessPolicy: { provider: 'slack', mode: 'provider_scope' },
          ...fields,
        });
      itemIds = await ingest(client, [
        say('handbook', 'The request limit of the Tollevik gateway is 100 requests per minute.'),
        say('mail', 'The request limit of the Tollevik gateway is 120 requests per minute.'),
        say('roadmap', 'The Tollevik archive tool launches on 15 September 2026.'),
        say('plan', 'The Tollevik archive tool launches on 6 October 2026.', {
          accessPolicy: { provider: 'slack', mode: 'acl', principals: ['user:ada@tollevik.example'] },
        }),
      ]);
      proposals = await waitForProposals(client, 2);
    }, 180_000);
    const about = (rule: string): Proposal => {
      const found = proposals.find((proposal) => proposal.rule === rule);
      if (!found) throw new Error(`no proposal by ${rule}`);
      return found;
    };

    it('name both sides in the words of their sources, for those who may see both', async () => {
      expect(about('conflicting_value')).toMatchObject({
        state: 'pending',
        relation: 'conflicts_with',
        reviewedAt: null,
        reviewedByApiKeyId: null,
      });
      const { sides } = about('conflicting_value');
      expect(sides.map(({ sourceItemId }) => sourceItemId).sort()).toEqual(itemIds.slice(0, 2).sort());
      for (const side of sides) expect(side).toMatchObject({ date: '2026-03-01T00:00:00.000Z' });
      const reviewer = { allowedActions: ['proposals:review' as const], principals: ['user:bo@tollevik.example'] };
      const { client: outsider } = await createKey(client, reviewer);
      const { data } = await outsider.call(listProposalsRoute);
      expect(data.map(({ rule }) => rule)).toEqual(['conflicting_value']);
      const hidden = about('conflicting_date').id;
      expectError(await outsider.post(`/v1/proposals/${hidden}/approve`, {}), {
        status: 404,
        type: 'RESOURCE.NOT_FOUND',
        message: 'There is no such proposal.',
      });
    });

    it('need an action of their own', async () => {
      const { client: asker } = await createKey(client);
      expectError(await asker.get(listProposalsRoute.path), { status: 403, type: 'AUTH.ACTION_NOT_ALLOWED' });
    });

    it('become a relation with its reviewer, and change no item', async () => {
      const { id } = about('conflicting_value');
      const before = await client.call(sourceItemRoute, { params: { id: itemIds[0] ?? '' } });
      const planning = {
        query: QUESTION,
        policy: { name: 'review_required' as const, require_certified_evidence: false },
        budget: { max_wall_time_ms: 20_000 },
      };
      const asked = await client.call(reasoningRoute, { body: planning });
      expect(asked).toMatchObject({ outcome: 'needs_review' });
      const response = await client.post(`/v1/proposals/${id}/approve`, { note: 'Both are in use.' });
      expect(response.status).toBe(200);
      expect(response.body).toMatchObject({ data: { state: 'approved', note: 'Both are in use.' } });
      expect((await readEvents(client, response.requestId))[0]).toMatchObject({
        action: 'proposal.approve',
        targetId: id,
        metadata: { relation: 'conflicts_with', hasNote: true },
      });
      const after = await client.call(sourceItemRoute, { params: { id: itemIds[0] ?? '' } });
      expect({ ...after, freshness: null }).toEqual({ ...before, freshness: null });
      // What a person decided is a relation now, and is proposed no more.
      const kindsOf = ({ proposals: made }: typeof asked) => made.map(({ kind }) => kind).sort();
      expect(kindsOf(asked)).toEqual(['conflicting_date', 'conflicting_value']);
      // One finding has one id, wherever it is read.
      expect(asked.proposals.map(({ proposal_id: proposalId }) => proposalId).sort()).toEqual(
        proposals.map((proposal) => proposal.id).sort(),
      );
      expect(kindsOf(await client.call(reasoningRoute, { body: planning }))).toEqual(['conflicting_date']);
      expectError(await client.post(`/v1/proposals/${id}/reject`, {}), { status: 409, type: 'RESOURCE.CONFLICT' });
    });

    it('stay rejected', async () => {
      const { id } = about('conflicting_date');
      expect((await client.call(rejectProposalRoute, { params: { id }, body: {} })).data.state).toBe('rejected');
      expectError(await client.post(`/v1/proposals/${id}/approve`, {}), { status: 409, type: 'RESOURCE.CONFLICT' });
      const { data } = await client.call(listProposalsRoute, { query: { state: 'rejected' } });
      expect(data.map((proposal) => proposal.id)).toEqual([id]);
      const asked = await client.call(reasoningRoute, {
        body: {
          query: 'When does the Tollevik archive tool launch?',
          policy: { name: 'review_required', require_certified_evidence: false },
          budget: { max_wall_time_ms: 20_000 },
        },
      });
      expect(asked.proposals).toEqual([]);
      expect(asked.outcome).not.toBe('needs_review');
    });

    it('are gone with either of their items', async () => {
      await client.send('DELETE', `/v1/source-items/${itemIds[1]}`);
      const { data } = await client.call(listProposalsRoute);
      expect(data.map(({ rule }) => rule)).toEqual(['conflicting_date']);
      expect(approveProposalRoute.action).toBe('proposals:review');
    });
  });
}
