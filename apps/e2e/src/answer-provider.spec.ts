import { RunningProfile } from '@candor/testkit';
import { describeProfileWithModel } from './harness/profile-with-model.js';
import { describeReasonModel } from './suites/reason/reason-model.suite.js';

describeProfileWithModel(
  'standalone',
  async (env) => ({ running: await RunningProfile.start('standalone', { env }) }),
  describeReasonModel,
);
