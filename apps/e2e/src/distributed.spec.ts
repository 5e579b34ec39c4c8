import { describeSuites } from './describe-suites.js';
import { findServices, startDistributed } from './harness/start-distributed.js';
import { describeProfile } from './harness/world.js';
import { describeWorkerLoss } from './suites/faults/worker-loss.suite.js';

const services = findServices(process.env);

if (services === 'incomplete') it.skip('the distributed profile', () => undefined);
else
  describeProfile(
    'distributed',
    () => startDistributed(services, 11),
    (world) => {
      describeSuites(world);
      // The small form; `npm run test:faults` has the whole.
      describeWorkerLoss(world, 120);
    },
  );
