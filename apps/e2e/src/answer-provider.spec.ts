import { describeReasonModel } from './suites/reason/reason-model.suite.js';

describeReasonModel();
