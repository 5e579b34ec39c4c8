import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  createCalibrationRoute,
  feedbackRoute,
  listCalibrationsRoute,
  listGenerationsRoute,
  reasoningRoute,
  reasonRoute,
  updateTenantRoute,
  type CreateCalibrationBody,
} from '@candor/contracts';
import { buildDocument, type ApiClient } from '@candor/testkit';
import { readEvents } from '../../harness/audit-trail.js';
import { expectError } from '../../harness/expect-error.js';
import { ingest } from '../../harness/ingest.js';
import { createKey, createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

const TOWNS = [
  'Aske',
  'Bremnes',
  'Dalvik',
  'Egersund',
  'Farsund',
  'Grimstad',
  'Hamar',
  'Jevnaker',
  'Kragero',
  'Larvik',
];
const TRADES = ['bakery', 'lighthouse', 'museum'];

/** What makes strict reasoning possible. */
export function describeCalibrations(world: WorldOf): void {
  describe('calibrations', () => {
    let client: ApiClient;
    let queries: CreateCalibrationBody['queries'];
    beforeAll(async () => {
      client = (await createTenant(world(), 'Calibrations')).admin;
      const places = TRADES.flatMap((trade) => TOWNS.map((town) => ({ trade, town })));
      await ingest(
        client,
        places.map(({ trade, town }, index) =>
          buildDocument({
            externalId: `place-${index}`,
            title: `The ${trade} of ${town}`,
            body: `The ${trade} of ${town} opens at ${7 + (index % 4)} o'clock and is run by ${index + 3} people.`,
            accessPolicy: { provider: 'slack', mode: 'provider_scope' },
          }),
        ),
      );
      const subjects = [
        'quantum error correction',
        'the price of copper',
        'Bayesian statistics',
        'Roman emperors',
        'vaccines',
      ];
      const asked = [
        'Who invented',
        'What is the history of',
        'How does one measure',
        'Which book explains',
        'What do critics say about',
      ];
      queries = [
        ...places.map(({ trade, town }) => ({ query: `When does the ${trade} of ${town} open?`, answerable: true })),
        ...subjects.flatMap((subject) => asked.map((start) => ({ query: `${start} ${subject}?`, answerable: false }))),
      ];
    });

    const strict = async () =>
      await client.call(reasoningRoute, { body: { query: 'When does the museum of Hamar open?' } });

    it('are missing at first: strict reasoning abstains, and shows no text of the corpus', async () => {
      const { current, data } = await client.call(listCalibrationsRoute);
      expect(data).toEqual([]);
      expect(current).toMatchObject({ state: 'missing', corpusSize: 30, alarm: false });
      const response = await client.post(reasoningRoute.path, { query: 'When does the museum of Hamar open?' });
      expect(response.status).toBe(200);
      expect(response.body).toMatchObject({
        outcome: 'abstained',
        answer: null,
        refusal_reason: 'uncertified_evidence',
        trust_state: { state: 'degraded', failure_code: 'CALIBRATION_MISSING' },
        calibration_identity: { status: 'missing' },
        evidence: { items: [] },
      });
      expect(response.text).not.toContain("o'clock");
    });

    it('are certified when scores tell answerable from unanswerable, and let the next strict request answer', async () => {
      const generationId = (await client.call(listGenerationsRoute)).data[0]?.id;
      const response = await client.post(createCalibrationRoute.path, { queries, generationId });
      expect(response.status).toBe(201);
      const { data } = response.body as { data: Record<string, unknown> };
      expect(data).toMatchObject({
        state: 'certified',
        generationId,
        answerable: 30,
        unanswerable: 25,
        corpusSize: 30,
        growthBound: 0.2,
      });
      expect(data['aucLowerBound']).toBeGreaterThanOrEqual(0.9);
      expect((await readEvents(client, response.requestId ?? ''))[0]).toMatchObject({
        action: 'calibration.create',
        targetId: data['id'],
        metadata: { certified: true, queries: 55 },
      });
      expect((await client.call(listCalibrationsRoute)).current).toMatchObject({
        state: 'certified',
        calibrationId: data['id'],
        growth: 0,
        corpusSizeBound: 36,
      });
      const answer = await strict();
      expect(answer).toMatchObject({
        outcome: 'answered',
        trust_state: { state: 'trusted', failure_code: null },
        calibration_identity: { status: 'certified', calibration_id: data['id'] },
      });
      expect(answer.answer).toContain('museum of Hamar');
    });

    it('take the questions that people rated, when asked to, and say when there are none to take', async () => {
      const rated = 'When does the museum of Hamar open?';
      const { requestId } = await client.post(reasonRoute.path, { query: rated });
      await client.call(feedbackRoute, { body: { requestId: requestId ?? '', rating: 'positive' } });
      // One short of what is needed.
      const own = [...queries.filter(({ query }) => query !== rated).slice(0, 19), ...queries.slice(-25)];
      expectError(await client.post(createCalibrationRoute.path, { queries: own }), {
        status: 400,
        type: 'REQUEST.INVALID',
        field: 'queries',
      });
      const response = await client.post(createCalibrationRoute.path, { queries: own, includeFeedback: true });
      expect(response.body).toMatchObject({ data: { answerable: 20, unanswerable: 25, state: 'certified' } });
      expect((await readEvents(client, response.requestId ?? ''))[0]).toMatchObject({
        metadata: { queries: 45, fromFeedback: 1 },
      });
      const { admin: forgetful } = await createTenant(world(), 'Keeps no questions');
      await forgetful.call(updateTenantRoute, { body: { auditQueryText: false } });
      expectError(await forgetful.post(createCalibrationRoute.path, { queries, includeFeedback: true }), {
        status: 400,
        type: 'REQUEST.INVALID',
        field: 'includeFeedback',
      });
    });

    it('warn before the corpus outgrows them, and are stale after', async () => {
      const grow = (from: number, count: number) =>
        ingest(
          client,
          Array.from({ length: count }, (_, index) =>
            buildDocument({
              externalId: `more-${from + index}`,
              title: `Note ${from + index}`,
              body: `Note ${from + index} of the parish.`,
              accessPolicy: { provider: 'slack', mode: 'provider_scope' },
            }),
          ),
        );
      await grow(0, 5);
      const warned = (await client.call(listCalibrationsRoute)).current;
      expect(warned).toMatchObject({ state: 'certified', corpusSize: 35, alarm: true });
      expect(warned.growth).toBeCloseTo(5 / 6);
      expect((await strict()).outcome).toBe('answered');
      await grow(5, 2);
      const { current, data } = await client.call(listCalibrationsRoute);
      expect(current).toMatchObject({ state: 'stale', alarm: true });
      expect(data[0]).toMatchObject({ state: 'stale' });
      expect(await strict()).toMatchObject({
        outcome: 'abstained',
        refusal_reason: 'uncertified_evidence',
        trust_state: { failure_code: 'CALIBRATION_STALE' },
      });
    });

    it('are uncertified when scores tell nothing', async () => {
      const swapped = queries.map(({ query, answerable }, index) => ({
        query,
        answerable: index % 2 === 0 ? answerable : !answerable,
      }));
      expect((await client.call(createCalibrationRoute, { body: { queries: swapped } })).data.state).toBe(
        'uncertified',
      );
      expect((await strict()).trust_state).toMatchObject({ failure_code: 'CALIBRATION_UNCERTIFIED' });
    });

    it('need twenty questions of each kind, the live generation, and an action of their own', async () => {
      expectError(await client.post(createCalibrationRoute.path, { queries: queries.slice(0, 40) }), {
        status: 400,
        type: 'REQUEST.INVALID',
        field: 'queries',
      });
      const unknown = 'b3f6c1de-0d5a-4a43-8a2f-6f2f0f2b1a90';
      expectError(await client.post(createCalibrationRoute.path, { queries, generationId: unknown }), {
        status: 404,
        type: 'RESOURCE.NOT_FOUND',
      });
      const { client: reader } = await createKey(client);
      expectError(await reader.post(createCalibrationRoute.path, { queries }), {
        status: 403,
        type: 'AUTH.ACTION_NOT_ALLOWED',
      });
    });
  });
}
