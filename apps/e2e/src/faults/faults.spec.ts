import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findServices } from '../harness/start-distributed.js';
import { startBehindProxies, type FaultyWorld } from '../harness/start-behind-proxies.js';
import { ScriptedModelServer } from '@candor/testkit';
import { describeForeignIds } from '../suites/access/foreign-ids.suite.js';
import { describePrincipals } from '../suites/access/principals.suite.js';
import { describeTenantIsolation } from '../suites/access/tenant-isolation.suite.js';
import { describeAcceptedWork } from '../suites/faults/accepted-work.suite.js';
import { describeElasticsearchOutage } from '../suites/faults/elasticsearch-outage.suite.js';
import { describeGenerationBuildLoss } from '../suites/faults/generation-builds.suite.js';
import { describeModelOutage } from '../suites/faults/model-outage.suite.js';
import { describePostgresOutage } from '../suites/faults/postgres-outage.suite.js';
import { describeRedisOutage } from '../suites/faults/redis-outage.suite.js';
import { describeRepeatedJobs } from '../suites/faults/repeated-jobs.suite.js';
import { describeSourceSyncs } from '../suites/faults/source-syncs.suite.js';
import { describeWaitingRequests } from '../suites/faults/waiting-requests.suite.js';
import { describeWorkerLoss } from '../suites/faults/worker-loss.suite.js';
import { describeDeletes } from '../suites/ingest/deletes.suite.js';
import { describeDocuments } from '../suites/ingest/documents.suite.js';
import { describeFuzzedBodies } from '../suites/input/fuzzed-bodies.suite.js';
import { describeHostileInput } from '../suites/input/hostile-input.suite.js';

const REASON_DEADLINE_MS = 8_000;
const services = findServices(process.env);

if (services === 'incomplete') {
  it.skip('faults', () => undefined);
} else {
  describe('faults', () => {
    let world: FaultyWorld | undefined;
    beforeAll(async () => {
      world = await startBehindProxies(services, 12, {
        env: { CANDOR_DEMO: 'off', CANDOR_ALLOW_PRIVATE_CONNECTORS: 'true' },
      });
    }, 300_000);
    afterAll(async () => {
      expect(await world?.stop()).toEqual([]);
    }, 180_000);
    const worldOf = (): FaultyWorld => {
      if (!world) throw new Error('the profile did not start');
      return world;
    };
    // What is promised while nothing fails; the outages come after.
    describeTenantIsolation(worldOf);
    describeForeignIds(worldOf);
    describePrincipals(worldOf);
    describeDeletes(worldOf);
    describeDocuments(worldOf);
    describeHostileInput(worldOf);
    describeFuzzedBodies(worldOf);
    describeRedisOutage(worldOf);
    describeElasticsearchOutage(worldOf);
    describePostgresOutage(worldOf);
    describeRepeatedJobs(worldOf);
    describeWorkerLoss(worldOf, 500);
    describeAcceptedWork(worldOf);
    describeSourceSyncs(worldOf);
    describeGenerationBuildLoss(worldOf);
  });

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
    describeWaitingRequests(worldOf, modelOf, REASON_DEADLINE_MS);
    describeModelOutage(worldOf, modelOf, REASON_DEADLINE_MS);
  });
}
