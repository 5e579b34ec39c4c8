import { describeSuites } from './describe-suites.js';
import { findServices, startDistributed } from './harness/start-distributed.js';
import { describeProfile } from './harness/world.js';
import { describeWorkerLoss } from './suites/faults/worker-loss.suite.js';

const services = findServices(process.env);

if (services === 'incomplete') it.skip('the distributed profile', () => undefined);
else
  describeProfile(
    'distributed',
    // Sources on loopback stand for the providers.
    () => startDistributed(services, 11, { env: { CANDOR_ALLOW_PRIVATE_CONNECTORS: 'true' } }),
    (world) => {
      describeSuites(world);
      // The small form; `npm run test:faults` has the whole.
      describeWorkerLoss(world, 120);
    },
  );
