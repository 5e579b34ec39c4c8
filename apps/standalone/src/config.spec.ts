import { describe, expect, it } from '@jest/globals';
import { answerQuestionJob, runReasoningJob } from '@candor/contracts';
import { standaloneConfigSchema } from './config.js';

describe('the deadline of a question', () => {
  const { REASON_DEADLINE_MS } = standaloneConfigSchema.shape;

  it.each([answerQuestionJob, runReasoningJob])('ends $name, and not a time limit of the job before it', (job) => {
    expect(REASON_DEADLINE_MS.parse(job.timeoutMs)).toBe(job.timeoutMs);
    expect(REASON_DEADLINE_MS.safeParse(job.timeoutMs + 1).success).toBe(false);
  });
});
