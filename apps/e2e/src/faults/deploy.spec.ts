import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ApiClient, ScriptedModelServer, waitFor, type ServiceProcessName } from '@candor/testkit';
import { Fleet, type FleetMember } from '../fleet/fleet.js';
import { makeImage, removeImage } from '../fleet/image.js';
import { RollingLoad, statesOf } from '../fleet/rolling-load.js';
import { countTried, describePromise } from '../harness/fault-ledger.js';
import { ingestOne } from '../harness/ingest.js';
import { quoteFirst } from '../harness/quote-first.js';
import { reservePort } from '../harness/reserve-port.js';
import { findServices } from '../harness/start-distributed.js';

const REDIS_DATABASE = 9;
/** The preStop pause of the manifests is 5 s; here nobody has to be told over a network. */
const PAUSE_MS = 500;
const PROMISE = 'Deploy under load';
/** Answers to the load before a change and after it. */
const SETTLED = 40;
/** A guard against hanging, on any machine. */
const LONGEST_INDEXING_MS = 150_000;
/** More than a service lets requests go on that have no deadline of their own; less than a model may take. */
const SLOW_ANSWER_MS = 27_000;
const services = findServices(process.env);

if (services === null || services === 'incomplete') {
  it.skip('a deploy under load', () => undefined);
} else {
  describePromise(PROMISE, () => {
    let image: string;
    let fleet: Fleet;
    let retrievals: string[];
    const current: Partial<Record<ServiceProcessName, FleetMember>> = {};

    beforeAll(async () => {
      image = makeImage();
      fleet = await Fleet.open(image, services, REDIS_DATABASE);
      // Both addresses are known from the start, as a headless service's are after its next look-up.
      retrievals = [`127.0.0.1:${await reservePort()}`, `127.0.0.1:${await reservePort()}`];
      for (const service of ['retrieval', 'gateway', 'ingestion-worker', 'synthesis'] as const)
        current[service] = await start(service, 0);
      for (const member of fleet.members) await member.waitUntilReady();
      await ingestOne(client(), {
        title: 'Lantern rota',
        body: 'The lantern in the harbour is lit at nine in the evening.',
        accessPolicy: { provider: 'slack', mode: 'provider_scope' },
      });
    }, 300_000);
    afterAll(async () => {
      await fleet.close();
      removeImage(image);
    }, 60_000);

    const start = (service: ServiceProcessName, place: 0 | 1): Promise<FleetMember> =>
      fleet.start(service, retrievals, service === 'retrieval' ? { GRPC_BIND: retrievals[place] ?? '' } : {});
    const memberOf = (service: ServiceProcessName): FleetMember => {
      const member = current[service];
      if (!member) throw new Error(`${service} is not there`);
      return member;
    };
    const client = (): ApiClient => new ApiClient(memberOf('gateway').url, fleet.bootstrapKey);

    it.each<ServiceProcessName>(['retrieval', 'synthesis', 'ingestion-worker', 'gateway'])(
      'changes %s without a failed request or a document left behind',
      async (service) => {
        const gateways = [memberOf('gateway')];
        const load = new RollingLoad(gateways, fleet.bootstrapKey);
        await load.waitForAnswers(SETTLED);
        const old = memberOf(service);
        // One more before one less, as `maxSurge: 1, maxUnavailable: 0` does.
        const next = await start(service, 1);
        await next.waitUntilReady();
        if (service === 'gateway') gateways.splice(0, 1, next);
        await delay(PAUSE_MS);
        const ended = old.stop();
        await load.waitForAnswers(SETTLED);
        current[service] = next;
        const { sent, failed, ingestions } = await load.stop();
        expect(await ended).toBe(0);
        countTried(PROMISE, 'requests during the changes', sent, failed.length);
        const states = await statesOf(client(), ingestions, LONGEST_INDEXING_MS);
        const left = states.filter((state) => state !== 'indexed');
        countTried(PROMISE, 'documents during the changes', ingestions.length, left.length);
        expect(failed).toEqual([]);
        expect(ingestions.length).toBeGreaterThan(5);
        expect(states).toEqual(ingestions.map(() => 'indexed'));
      },
      300_000,
    );

    it('lets a question end that waits for a slow model when gateway and synthesis are told to end', async () => {
      const model = await ScriptedModelServer.start();
      try {
        const llm = { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted-1' };
        const asked = await fleet.start('synthesis', retrievals, llm);
        await asked.waitUntilReady();
        await memberOf('synthesis').stop();
        model.play((call, response) => void setTimeout(() => quoteFirst(call, response), SLOW_ANSWER_MS));
        const answer = client().post('/v1/reason', { query: 'When is the lantern in the harbour lit?' });
        await waitFor(() => model.calls.length === 1, { what: 'the question to be with the model' });
        const ended = Promise.all([memberOf('gateway').stop(), asked.stop()]);
        const { status, text } = await answer.catch((error: unknown) => ({ status: 0, text: String(error) }));
        countTried(PROMISE, 'questions under way', 1, status === 200 ? 0 : 1);
        expect([status, text]).toEqual([200, expect.stringContaining('nine in the evening')]);
        expect(await ended).toEqual([0, 0]);
      } finally {
        await model.stop();
      }
    }, 120_000);
  });
}
