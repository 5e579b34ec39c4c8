import { runRedisCommand } from '@candor/testkit';
import { describeSuites } from './describe-suites.js';
import { findServices, startDistributed, withDatabase } from './harness/start-distributed.js';
import { describeProfile } from './harness/world.js';
import { describeScale } from './suites/faults/scale.suite.js';
import { describeWorkerLoss } from './suites/faults/worker-loss.suite.js';

const REDIS_DATABASE = 11;
const services = findServices(process.env);

if (services === 'incomplete') it.skip('the distributed profile', () => undefined);
else
  describeProfile(
    'distributed',
    // Sources on loopback stand for the providers.
    () => startDistributed(services, REDIS_DATABASE, { env: { CANDOR_ALLOW_PRIVATE_CONNECTORS: 'true' } }),
    (world) => {
      describeSuites(world);
      // The small forms; `npm run test:faults` and `npm run test:scale` have the whole.
      describeWorkerLoss(world, 120);
      describeScale(world, {
        items: 400,
        isMeasured: false,
        loseRedis: async () => {
          if (services) await runRedisCommand(withDatabase(services.REDIS_URL, REDIS_DATABASE), 'FLUSHDB');
        },
      });
    },
  );
