import { RunningProfile } from '@candor/testkit';
import { describeSuites } from './describe-suites.js';
import { describeProfile } from './harness/world.js';

// Sources on loopback stand for the providers.
const env = { CANDOR_ALLOW_PRIVATE_CONNECTORS: 'true' };

describeProfile(
  'standalone',
  async () => ({ running: await RunningProfile.start('standalone', { env }) }),
  describeSuites,
);
