import type { AnswerableBundle } from '../evidence/evidence-bundle.js';
import { renderEvidencePrompt } from '../evidence/evidence-prompt.js';
import { readAnswer } from '../evidence/read-answer.js';
import { callPort } from './call-port.js';
import { abstain, composeAnswered } from './compose-response.js';
import type { ReasoningResponse } from './reasoning-response.js';
import type { RunState } from './run-state.js';

/** The last step: one call, strict output, citations of the trusted bundle alone; anything else abstains. */
export async function answerFromEvidence(run: RunState, evidence: AnswerableBundle): Promise<ReasoningResponse> {
  const { request, recorder } = run;
  const { answerProvider } = request.providers;
  const startedAt = recorder.start();
  if (answerProvider === undefined) {
    recorder.record('answer', startedAt, { result: 'skipped', stopReason: 'no_provider' });
    return abstain(run, evidence, 'no_answer_provider');
  }
  run.answerProviderInvoked = true;
  const answered = await callPort({
    provider: 'answer_provider',
    deadlineMs: run.within(run.answerDeadlineMs),
    signal: request.signal,
    call: (context) => answerProvider.answer(renderEvidencePrompt(request.query, evidence), context),
    parse: (output) => readAnswer(output, evidence),
  });
  if (!answered.ok) {
    recorder.record('answer', startedAt, { result: 'failed', stopReason: 'provider_failure' });
    run.failures.push(answered.failure);
    return abstain(run, evidence, 'provider_failure');
  }
  const answer = answered.output;
  run.citationsNormalized = answer.citationsNormalized;
  recorder.record('answer', startedAt, { count: answer.sufficient ? answer.citations.length : 0 });
  if (answer.sufficient) return composeAnswered(run, evidence, answer);
  const detail = 'The answer provider found the evidence insufficient.';
  run.gaps.push({ kind: 'no_evidence', name: null, detail });
  return abstain(run, evidence, 'provider_abstained');
}
