import type { PortContext, ReasoningAnswerProvider } from '../run/reasoning-ports.js';
import type { TrustedResult } from '../trust/trusted-result.js';
import { buildEvidenceBundle, type BundleLimits } from './build-evidence-bundle.js';
import type { AbstainReason, EvidenceBundle } from './evidence-bundle.js';
import type { EvidencePolicyInput } from './evidence-policy.js';
import { renderEvidencePrompt } from './evidence-prompt.js';
import { readAnswer, type ReadAnswer } from './read-answer.js';

export type GeneratedAnswer =
  | { invoked: true; evidence: EvidenceBundle; answer: ReadAnswer }
  | { invoked: false; evidence: EvidenceBundle; reason: AbstainReason };

/**
 * From one trusted retrieval straight to an answer, without policies, planning or expansion. A degraded trust or a bundle
 * that abstains doesn't reach the provider. Throws the provider's errors and SYNTHESIS.INVALID_OUTPUT. `reason` doesn't
 * use it, since it would build the evidence a second time; both go through the same prompt and `readAnswer`.
 */
export async function generateFromEvidence(
  input: { question: string; result: TrustedResult; limits: BundleLimits; policy?: EvidencePolicyInput },
  answerProvider: ReasoningAnswerProvider,
  context: PortContext,
): Promise<GeneratedAnswer> {
  const evidence = buildEvidenceBundle(input.result, input.limits, input.policy);
  if (evidence.trustState.state === 'degraded') return { invoked: false, evidence, reason: 'uncertified_evidence' };
  if (evidence.decision === 'abstain') return { invoked: false, evidence, reason: evidence.reasonCode };
  const raw: unknown = await answerProvider.answer(renderEvidencePrompt(input.question, evidence), context);
  return { invoked: true, evidence, answer: readAnswer(raw, evidence) };
}
