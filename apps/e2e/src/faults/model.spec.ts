import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ScriptedModelServer } from '@candor/testkit';
import { describePromise } from '../harness/fault-ledger.js';
import { describeProfileWithModel } from '../harness/profile-with-model.js';
import { startBehindProxies, type FaultyWorld } from '../harness/start-behind-proxies.js';
import { findServices, startDistributed } from '../harness/start-distributed.js';
import { describeHostileDocuments } from '../suites/faults/hostile-documents.suite.js';
import { describeModelOutage } from '../suites/faults/model-outage.suite.js';
import { describeUnrecordedAnswers } from '../suites/faults/unrecorded-answers.suite.js';
import { describeWaitingRequests } from '../suites/faults/waiting-requests.suite.js';
import { describeReasonModel } from '../suites/reason/reason-model.suite.js';

const REASON_DEADLINE_MS = 8_000;
const services = findServices(process.env);

if (services === 'incomplete') {
  it.skip('faults with a model', () => undefined);
} else {
  describe('faults with a model', () => {
    let model: ScriptedModelServer | undefined;
    let world: FaultyWorld | undefined;
    beforeAll(async () => {
      model = await ScriptedModelServer.start();
      world = await startBehindProxies(services, 13, {
        env: {
          CANDOR_DEMO: 'off',
          REASON_CONCURRENCY: '1',
          REASON_DEADLINE_MS: String(REASON_DEADLINE_MS),
          LLM_BASE_URL: model.baseUrl,
          LLM_MODEL: 'scripted-1',
          LLM_TIMEOUT_MS: '60000',
        },
      });
    }, 300_000);
    afterAll(async () => {
      const leftovers = await world?.stop();
      await model?.stop();
      expect(leftovers).toEqual([]);
    }, 180_000);
    const worldOf = (): FaultyWorld => {
      if (!world) throw new Error('the profile did not start');
      return world;
    };
    const modelOf = (): ScriptedModelServer => {
      if (!model) throw new Error('the model did not start');
      return model;
    };
    describePromise('Postgres down', () => describeUnrecordedAnswers(worldOf, modelOf));
    describePromise('Access control', () => describeWaitingRequests(worldOf, modelOf, REASON_DEADLINE_MS));
    describePromise('A slow or dead model', () => describeModelOutage(worldOf, modelOf, REASON_DEADLINE_MS));
  });

  describePromise('Hostile documents', () =>
    describeProfileWithModel(
      'distributed',
      (env) => startDistributed(services, 10, { env }),
      (world, model) => {
        describeReasonModel(world, model);
        describeHostileDocuments(world, model);
      },
    ),
  );
}
