import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chooseSeed } from '../harness/draw-storm.js';
import { describePromise } from '../harness/fault-ledger.js';
import { startOnOwnServers, type MortalWorld } from '../harness/start-behind-proxies.js';
import { findServices } from '../harness/start-distributed.js';
import { describeAcceptedWork } from '../suites/faults/accepted-work.suite.js';
import { describeElasticsearchOutage } from '../suites/faults/elasticsearch-outage.suite.js';
import { describeGenerationBuildLoss } from '../suites/faults/generation-builds.suite.js';
import { describePostgresOutage } from '../suites/faults/postgres-outage.suite.js';
import { describeRedisOutage } from '../suites/faults/redis-outage.suite.js';
import { describeRepeatedJobs } from '../suites/faults/repeated-jobs.suite.js';
import { describeSourceSyncs } from '../suites/faults/source-syncs.suite.js';
import { describeWorkerLoss } from '../suites/faults/worker-loss.suite.js';

// It kills servers, so it has its own; where one can't be started, this says so.
if (findServices(process.env) === 'incomplete') {
  it.skip('outages', () => undefined);
} else {
  const seed = chooseSeed(process.env['CANDOR_FAULT_SEED']);
  process.stderr.write(`faults: the seed is ${seed}; CANDOR_FAULT_SEED=${seed} repeats this order of failures\n`);

  describe('outages', () => {
    let world: MortalWorld | undefined;
    beforeAll(async () => {
      world = await startOnOwnServers({ env: { CANDOR_DEMO: 'off', CANDOR_ALLOW_PRIVATE_CONNECTORS: 'true' } });
    }, 600_000);
    afterAll(async () => {
      expect(await world?.stop()).toEqual([]);
    }, 180_000);
    const worldOf = (): MortalWorld => {
      if (!world) throw new Error('the profile did not start');
      return world;
    };

    describePromise('Redis down', () => describeRedisOutage(worldOf));
    describePromise('Elasticsearch down', () => describeElasticsearchOutage(worldOf));
    describePromise('Postgres down', () => describePostgresOutage(worldOf));
    describePromise('No duplicate effect', () => describeRepeatedJobs(worldOf));
    describePromise('A 202 is never lost', () => {
      describeWorkerLoss(worldOf, 500);
      describeAcceptedWork(worldOf, seed);
      describeSourceSyncs(worldOf);
      describeGenerationBuildLoss(worldOf);
    });
  });
}
