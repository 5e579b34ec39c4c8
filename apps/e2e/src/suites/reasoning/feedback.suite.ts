import { beforeAll, describe, expect, it } from '@jest/globals';
import { feedbackRoute, reasonRoute } from '@candor/contracts';
import { buildDocument, type ApiClient } from '@candor/testkit';
import { readEvents } from '../../harness/audit-trail.js';
import { expectError } from '../../harness/expect-error.js';
import { ingest } from '../../harness/ingest.js';
import { createKey, createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

/** What callers say of answers. */
export function describeFeedback(world: WorldOf): void {
  describe('feedback', () => {
    let admin: ApiClient;
    let client: ApiClient;
    beforeAll(async () => {
      ({ admin } = await createTenant(world(), 'Feedback'));
      ({ client } = await createKey(admin));
      await ingest(admin, [
        buildDocument({
          title: 'Sauna of Oravik',
          body: 'The sauna of Oravik is heated with birch wood.',
          accessPolicy: { provider: 'slack', mode: 'provider_scope' },
        }),
      ]);
    });
    const ask = async (query: string): Promise<string> =>
      (await client.post(reasonRoute.path, { query })).requestId ?? '';

    it('says what the rated answer was worth, and labels its question', async () => {
      const answered = await ask('What is the sauna of Oravik heated with?');
      const good = await client.call(feedbackRoute, {
        body: { requestId: answered, rating: 'positive', note: ' Right. ' },
      });
      expect(good.data).toEqual({
        id: expect.any(String),
        requestId: answered,
        rating: 'positive',
        note: 'Right.',
        answerable: true,
        createdAt: expect.any(String),
      });
      const refused = await ask('Who won the chess tournament of Ulan Bator?');
      expect(
        (await client.call(feedbackRoute, { body: { requestId: refused, rating: 'positive' } })).data.answerable,
      ).toBe(false);
      expect(
        (await client.call(feedbackRoute, { body: { requestId: refused, rating: 'negative' } })).data.answerable,
      ).toBe(true);
      const told = { requestId: answered, rating: 'negative' as const, answerable: false };
      expect((await client.call(feedbackRoute, { body: told })).data).toMatchObject({
        id: good.data.id,
        answerable: false,
        note: null,
      });
    });

    it('is recorded without its note', async () => {
      const requestId = await ask('What is the sauna of Oravik heated with?');
      const response = await client.post(feedbackRoute.path, { requestId, rating: 'negative', note: 'planted words' });
      expect(response.status).toBe(201);
      const events = await readEvents(admin, response.requestId ?? '');
      expect(events).toMatchObject([
        {
          action: 'feedback.create',
          outcome: 'succeeded',
          targetType: 'request',
          targetId: requestId,
          metadata: { rating: 'negative', answerable: null, hasNote: true, rated: 'reason.answer' },
        },
      ]);
      expect(JSON.stringify(events)).not.toContain('planted');
    });

    it("is about the tenant's own questions only", async () => {
      const { admin: stranger } = await createTenant(world(), 'Strangers to the sauna');
      const requestId = await ask('What is the sauna of Oravik heated with?');
      const notQuestion = (await admin.get('/v1/collections')).requestId;
      for (const [asker, id] of [
        [stranger, requestId],
        [client, 'b3f6c1de-0d5a-4a43-8a2f-6f2f0f2b1a90'],
        [client, notQuestion],
      ] as const)
        expectError(await asker.post(feedbackRoute.path, { requestId: id, rating: 'positive' }), {
          status: 404,
          type: 'RESOURCE.NOT_FOUND',
          message: 'There is no such request.',
        });
    });
  });
}
