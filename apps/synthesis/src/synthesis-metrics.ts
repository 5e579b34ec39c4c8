import type { ReasoningReply, RunReasoningReply } from '@candor/contracts';
import { defineCounter, defineHistogram } from '@candor/runtime/metrics';

type Face = 'reason' | 'reasoning';

const stages = defineHistogram({
  name: 'candor_reason_stage_duration_seconds',
  help: 'Stages of a question: retrieval, synthesis (the answer provider) and total, without its time in the queue.',
  labels: ['face', 'stage'],
});
const outcomes = defineCounter({
  name: 'candor_reason_outcomes_total',
  help: 'How questions ended: answered, refused (with the reason) or failed (with the error code).',
  labels: ['face', 'outcome', 'reason'],
});
const citationsDropped = defineCounter({
  name: 'candor_citations_dropped_total',
  help: 'Citations of answer providers that did not occur in the evidence and were removed.',
});

/** One reply of `/v1/reason`. */
export function observeAnswer(reply: ReasoningReply, tookMs: number): void {
  const { facts } = reply;
  observeStage('reason', 'retrieval', facts['retrievalMs']);
  observeStage('reason', 'synthesis', facts['synthesisMs']);
  observeStage('reason', 'total', tookMs);
  if (!reply.ok) return count('reason', 'failed', reply.error.code);
  citationsDropped.inc(reply.data.meta.citationsDropped);
  const skipped = facts['skipped'];
  if (typeof skipped === 'string') return count('reason', 'refused', skipped);
  if (reply.data.citations.length === 0) return count('reason', 'refused', 'nothing_cited');
  count('reason', 'answered', '');
}

/** One reply of `/v1/reasoning`; a run that refuses is a good reply. */
export function observeRun(reply: RunReasoningReply, tookMs: number): void {
  observeStage('reasoning', 'total', tookMs);
  if (!reply.ok) return count('reasoning', 'failed', reply.error.code);
  const reason = reply.facts['refusalReason'];
  if (typeof reason === 'string') return count('reasoning', 'refused', reason);
  count('reasoning', 'answered', '');
}

function observeStage(face: Face, stage: string, milliseconds: unknown): void {
  if (typeof milliseconds === 'number') stages.observe({ face, stage }, milliseconds / 1_000);
}

function count(face: Face, outcome: string, reason: string): void {
  outcomes.inc({ face, outcome, reason });
}
