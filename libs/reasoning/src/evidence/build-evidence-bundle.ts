import type { TokenCounter } from '../count-tokens.js';
import type { GenerationIdentity } from '../trust/generation-identity.js';
import type { JudgedHit, TrustedResult } from '../trust/trusted-result.js';
import type { TrustState } from '../trust/trust-state.js';
import type {
  AbstainingBundle,
  AbstainReason,
  EvidenceBundle,
  EvidenceItem,
  ExcludedHit,
  RetrievalPass,
} from './evidence-bundle.js';
import { evidencePolicySchema, type EvidencePolicy, type EvidencePolicyInput } from './evidence-policy.js';
import { findMissingSlots } from './find-missing-slots.js';
import { saysTheSame } from './says-the-same.js';

export interface BundleLimits {
  /** Of titles and texts together; what doesn't fit is left out whole. */
  maxEvidenceTokens: number;
  countTokens: TokenCounter;
}

/** A hit and the pass of retrieval that brought it. */
export interface PassedHit {
  hit: JudgedHit;
  pass: RetrievalPass;
}

export interface BundleInput {
  identity: GenerationIdentity;
  trustState: TrustState;
  /** Retrieval says itself that nothing relevant is there; then no hit counts. */
  abstained: boolean;
  hits: readonly PassedHit[];
  policy: EvidencePolicy;
  limits: BundleLimits;
}

/**
 * The bundle of one retrieval: hits that are `ok`, in order, each once, within the policy's and the budget's bounds. Every
 * other hit is named in `excluded`. Whether a degraded trust is acceptable is not decided here.
 */
export function buildEvidenceBundle(
  result: TrustedResult,
  limits: BundleLimits,
  policy: EvidencePolicyInput = {},
): EvidenceBundle {
  return assembleBundle({
    identity: result.identity,
    trustState: result.trustState,
    abstained: result.abstained,
    hits: result.hits.map((hit) => ({ hit, pass: 'initial' })),
    policy: evidencePolicySchema.parse(policy),
    limits,
  });
}

/** The same over several passes of retrieval. */
export function assembleBundle(input: BundleInput): EvidenceBundle {
  const { identity, trustState, abstained, policy } = input;
  const { items, excluded, tokens } = selectItems(input);
  return decideBundle({
    common: { identity, trustState, excluded, tokens },
    items,
    policy,
    emptyReason: explainEmptiness(abstained, excluded),
  });
}

/** Whether selected items make a bundle that can be answered from. */
export function decideBundle(selected: {
  common: Pick<EvidenceBundle, 'identity' | 'trustState' | 'excluded' | 'tokens'>;
  items: readonly EvidenceItem[];
  policy: EvidencePolicy;
  /** Why there is no item, if there is none. */
  emptyReason: AbstainReason;
}): EvidenceBundle {
  const { common, items, policy, emptyReason } = selected;
  const missingSlots = findMissingSlots(policy.answerSlots, items).map((slot) => slot.name);
  const [first, ...others] = items;
  if (first === undefined) return { ...common, decision: 'abstain', reasonCode: emptyReason, items: [], missingSlots };
  if (missingSlots.length > 0) {
    return { ...common, decision: 'abstain', reasonCode: 'answer_slot_gap', items: [first, ...others], missingSlots };
  }
  return { ...common, decision: 'answerable', reasonCode: null, items: [first, ...others], missingSlots: [] };
}

export function countItemTokens(hit: { documentTitle: string; text: string }, countTokens: TokenCounter): number {
  return countTokens(`${hit.documentTitle}\n${hit.text}`);
}

/** No item, for a reason that stands before any look at the hits. */
export function emptyBundle(
  identity: GenerationIdentity,
  trustState: TrustState,
  reasonCode: AbstainReason,
  excluded: ExcludedHit[] = [],
): AbstainingBundle {
  return { identity, trustState, decision: 'abstain', reasonCode, items: [], excluded, missingSlots: [], tokens: 0 };
}

function selectItems({ hits, abstained, policy, limits }: BundleInput): {
  items: EvidenceItem[];
  excluded: ExcludedHit[];
  tokens: number;
} {
  const demoted = new Set(hits.filter(({ hit }) => hit.verdict !== 'ok').map(({ hit }) => hit.chunkId));
  const ordered = orderHits(hits, policy);
  const reserved = reserveForSlots(
    ordered.map(({ hit }) => hit).filter((hit) => !demoted.has(hit.chunkId)),
    policy,
  );
  const seen = new Set<string>();
  const items: EvidenceItem[] = [];
  const excluded: ExcludedHit[] = [];
  let tokens = 0;
  for (const { hit, pass } of ordered) {
    const exclude = (reason: ExcludedHit['reason']): unknown => excluded.push({ chunkId: hit.chunkId, reason });
    const { verdict } = hit;
    if (seen.has(hit.chunkId)) continue;
    if (verdict !== 'ok') {
      seen.add(hit.chunkId);
      exclude(verdict);
      continue;
    }
    // A passage that is demoted in one place is demoted everywhere; the demoted twin says why.
    if (demoted.has(hit.chunkId)) continue;
    seen.add(hit.chunkId);
    if (abstained) {
      exclude('retrieval_abstained');
    } else if (policy.semanticDeduplication && items.some((item) => saysTheSame(item.text, hit.text))) {
      exclude('duplicate');
    } else if (!reserved.delete(hit.chunkId) && items.length + reserved.size >= policy.maxItems) {
      exclude('item_limit');
    } else {
      const cost = countItemTokens(hit, limits.countTokens);
      if (tokens + cost > limits.maxEvidenceTokens) {
        exclude('token_budget');
      } else {
        tokens += cost;
        items.push({ ...hit, verdict, ordinal: items.length + 1, retrievedBy: pass });
      }
    }
  }
  return { items, excluded, tokens };
}

function orderHits(hits: readonly PassedHit[], policy: EvidencePolicy): readonly PassedHit[] {
  return policy.preserveOrder ? hits : [...hits].sort((left, right) => right.hit.score - left.hit.score);
}

/** Ids of hits past the item limit that alone fill a slot: places are kept for them. */
function reserveForSlots(candidates: readonly JudgedHit[], policy: EvidencePolicy): Set<string> {
  const missing = findMissingSlots(policy.answerSlots, candidates.slice(0, policy.maxItems));
  const filling = missing.flatMap(
    (slot) => candidates.find((hit) => findMissingSlots([slot], [hit]).length === 0)?.chunkId ?? [],
  );
  return new Set(filling.slice(0, policy.maxItems));
}

function explainEmptiness(abstained: boolean, excluded: readonly ExcludedHit[]): AbstainReason {
  if (abstained) return 'retrieval_abstained';
  if (excluded.some(({ reason }) => reason === 'token_budget')) return 'budget_exhausted';
  if (excluded.some(({ reason }) => reason === 'ambiguous_supersession')) return 'ambiguous_evidence';
  return 'no_trusted_initial_evidence';
}
