import { describe, expect, it } from '@jest/globals';
import { answerQuestionJob, runReasoningJob } from '@candor/contracts';
import { synthesisConfigSchema } from './config.js';

describe('the longest time of the call of a model', () => {
  const { LLM_TIMEOUT_MS } = synthesisConfigSchema.shape;

  it.each([answerQuestionJob, runReasoningJob])('is not longer than what $name may take', (job) => {
    expect(LLM_TIMEOUT_MS.parse(job.timeoutMs)).toBe(job.timeoutMs);
    expect(LLM_TIMEOUT_MS.safeParse(job.timeoutMs + 1).success).toBe(false);
  });
});
