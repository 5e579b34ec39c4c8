import { RunningProfile } from '@candor/testkit';
import { describeSuites } from './describe-suites.js';
import { describeProfile } from './harness/world.js';

describeProfile('standalone', async () => ({ running: await RunningProfile.start('standalone') }), describeSuites);
