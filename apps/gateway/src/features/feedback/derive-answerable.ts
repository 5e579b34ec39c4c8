import type { FeedbackRating } from '@candor/contracts';
import type { AskedRequest } from '@candor/persistence';

/** Refusals that say: the corpus doesn't hold it. The others are about trust, policies, outages, or what else the caller wanted of an answer. */
const CONTENT_REFUSALS = new Set([
  'provider_abstained',
  'retrieval_abstained',
  'no_trusted_initial_evidence',
  'corpus_gap',
]);

/** Fields of a request by which it asked a part of the corpus, or of another time. */
const NARROWING = [
  'collectionId',
  'documentId',
  'excludeChunkIds',
  'knownAsOf',
  'providers',
  'sessionId',
  'sourceItemId',
  'tags',
  'updatedAfter',
  'updatedBefore',
];

/**
 * The label that a rating gives to calibration: as stated, else derived. None of a request that saw a part of the corpus
 * only, by its scope, its time or its key: what that part answers says nothing of the whole.
 */
export function labelAnswerable(
  asked: AskedRequest,
  { rating, answerable }: { rating: FeedbackRating; answerable?: boolean | undefined },
): boolean | null {
  return asked.isRestricted || isNarrowed(asked) ? null : (answerable ?? deriveAnswerable(asked, rating));
}

function isNarrowed({ metadata }: AskedRequest): boolean {
  const request: unknown = metadata['request'];
  if (typeof request !== 'object' || request === null) return false;
  return NARROWING.some((field) => ((request as Record<string, unknown>)[field] ?? null) !== null);
}

/**
 * Whether the corpus answers the question, by how the rated request ended: yes after a good answer or a bad refusal, no
 * after a good refusal. Null where that can't be told: a bad answer may be wrong, or may answer what nothing answers.
 */
function deriveAnswerable(asked: AskedRequest, rating: FeedbackRating): boolean | null {
  const ending = endingOf(asked);
  if (ending === 'answered') return rating === 'positive' ? true : null;
  if (ending === 'refused') return rating === 'negative';
  return null;
}

function endingOf({ action, outcome, metadata }: AskedRequest): 'answered' | 'refused' | null {
  if (outcome !== 'succeeded') return null;
  if (action === 'reason.answer') {
    const cited = metadata['citedChunkIds'];
    return Array.isArray(cited) && cited.length > 0 ? 'answered' : 'refused';
  }
  if (action !== 'reasoning.query') return null;
  if (metadata['reasoningOutcome'] === 'answered') return 'answered';
  return CONTENT_REFUSALS.has(String(metadata['refusalReason'])) ? 'refused' : null;
}
