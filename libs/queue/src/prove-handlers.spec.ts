import { JOB_CATALOGUE } from '@candor/contracts';
import { findHandlerProblems } from './prove-handlers.js';
import { makeTestJobs } from './conformance/test-jobs.js';

describe('findHandlerProblems', () => {
  it('finds none in the product catalogue with a handler each', () => {
    const queues = [...new Set(JOB_CATALOGUE.map(({ queue }) => queue))];
    const registrations = JOB_CATALOGUE.map(({ name }) => ({ pattern: name, isEventHandler: true }));
    expect(findHandlerProblems(JOB_CATALOGUE, queues, registrations)).toEqual([]);
  });

  it('asks for handlers of the selected queues alone', () => {
    const registrations = ['reasoning.answer', 'reasoning.run'].map((pattern) => ({ pattern, isEventHandler: true }));
    expect(findHandlerProblems(JOB_CATALOGUE, ['reasoning'], registrations)).toEqual([]);
    expect(findHandlerProblems(JOB_CATALOGUE, ['index-item'], registrations)).toEqual([
      expect.stringContaining('"item.index"'),
      expect.stringContaining('"item.refresh-metadata"'),
    ]);
  });

  it('refuses a queue with both kinds of jobs', () => {
    const { work, once } = makeTestJobs('mixed');
    const catalogue = [work, { ...once, queue: 'mixed' }];
    const registrations = catalogue.map(({ name }) => ({ pattern: name, isEventHandler: true }));
    expect(findHandlerProblems(catalogue, ['mixed'], registrations)).toEqual([expect.stringContaining('mixes')]);
  });
});
