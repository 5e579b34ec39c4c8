import { AppError, type ReasonBody, type SynthesizedAnswer } from '@candor/contracts';

/** @throws SYNTHESIS.QUOTATIONS_MISSING: left out, they would look like an answer that rests on nothing. */
export function requireAskedQuotations(
  { includeQuotations }: Pick<ReasonBody, 'includeQuotations'>,
  answer: SynthesizedAnswer,
): SynthesizedAnswer {
  if (includeQuotations && !answer.statements) throw new AppError('SYNTHESIS.QUOTATIONS_MISSING');
  return answer;
}
