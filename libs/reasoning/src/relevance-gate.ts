/** Why a question was answered without calling the answer provider. */
export type SkipReason = 'no_evidence' | 'below_relevance_guard' | 'empty_packet';

/**
 * Seed 000: empty evidence always skips synthesis; weak evidence skips it only when no document or collection was
 * named. `relevant` is retrieval's verdict by `judgeRelevance`, with the embedding profile's fixed constants.
 */
export function passesRelevanceGate(input: {
  passages: readonly unknown[];
  relevant: boolean;
  scoped: boolean;
}): boolean {
  return input.passages.length > 0 && (input.scoped || input.relevant);
}
