import type { TokenCounter } from '../count-tokens.js';
import { decideBundle, countItemTokens } from './build-evidence-bundle.js';
import type { EvidenceBundle, EvidenceItem, ExcludedHit } from './evidence-bundle.js';
import type { EvidencePolicy } from './evidence-policy.js';

/** The bundle without some items: they join the excluded ones, the others keep their order, and the slots are judged anew. */
export function demoteItems(
  evidence: EvidenceBundle,
  demoted: readonly ExcludedHit[],
  policy: EvidencePolicy,
  countTokens: TokenCounter,
): EvidenceBundle {
  if (demoted.length === 0) return evidence;
  const leaving = new Set(demoted.map(({ chunkId }) => chunkId));
  const items = evidence.items
    .filter((item) => !leaving.has(item.chunkId))
    .map((item, index): EvidenceItem => ({ ...item, ordinal: index + 1 }));
  return decideBundle({
    common: {
      identity: evidence.identity,
      trustState: evidence.trustState,
      excluded: [...evidence.excluded, ...demoted],
      tokens: items.reduce((sum, item) => sum + countItemTokens(item, countTokens), 0),
    },
    items,
    policy,
    emptyReason: 'unsupported_evidence',
  });
}
