import {
  NO_RESULTS_REASON,
  PROVIDER_SCOPE_REASON,
  PROVIDERS,
  type Exclusion10,
  type Exclusion11,
  type Provider,
} from '@candor/contracts';
import type { SourceProblem } from '@candor/persistence/views';
import { listProviders } from '../../search/narrow-scope.js';
import type { RetrievedPage } from '../../search/retrieval-run.js';

type Page = Pick<RetrievedPage, 'entries' | 'excluded' | 'keyScope' | 'scope'>;

const COUNTED_REASONS = {
  relevance_floor: 'Items were found, but none of their passages is similar enough to the query.',
  superseded: 'A newer item declares that it replaces these items.',
  not_yet_known: 'These items matched, but were recorded only after the requested point in time.',
  duplicate: 'The same content is already among the hits.',
} as const;
const PROBLEM_KINDS = ['stale', 'failed', 'unread'] as const satisfies SourceProblem['kind'][];
const PROBLEM_REASONS = {
  stale: 'Connected sources of this provider have not been synced successfully for three of their intervals.',
  failed: 'The last sync of connected sources of this provider failed.',
  unread: 'The newest version of items of this provider could not be read; at most an older one is searched.',
} as const satisfies Record<SourceProblem['kind'], string>;
const ACCESS_UNKNOWN_REASON =
  'These hits have no preserved access policy: they are shown to keys without principals and withheld from all others.';

/**
 * One `provider_scope` for each provider the key may not read, asked for or not, and one `no_results` for each readable
 * provider that was asked for and has no hit.
 */
export function listExclusions10({ entries, keyScope, scope }: Page): Exclusion10[] {
  const readable = new Set(listProviders(keyScope));
  const withHits = new Set<Provider>(entries.map((entry) => entry.head.provider));
  return [
    ...PROVIDERS.filter((provider) => !readable.has(provider)).map((provider) => ({
      type: 'provider_scope' as const,
      provider,
      reason: PROVIDER_SCOPE_REASON,
    })),
    ...listProviders(scope)
      .filter((provider) => !withHits.has(provider))
      .map((provider) => ({ type: 'no_results' as const, provider, reason: NO_RESULTS_REASON })),
  ];
}

/**
 * Also what was found and not shown, by cause and provider, and what may be missing since a source has a problem. Counts
 * are of items the caller may see, and of no others.
 */
export function listExclusions11(page: Page, problems: readonly SourceProblem[] = []): Exclusion11[] {
  return [
    ...listExclusions10(page).map((exclusion) => ({ ...exclusion, count: null })),
    ...(['relevance_floor', 'superseded', 'not_yet_known', 'duplicate'] as const).flatMap((type) =>
      page.excluded
        .byProvider(type)
        .map(({ provider, count }) => ({ type, provider, reason: COUNTED_REASONS[type], count })),
    ),
    ...listUnknownAccess(page),
    ...listProblems(page, problems),
  ];
}

function listProblems({ scope }: Page, problems: readonly SourceProblem[]): Exclusion11[] {
  const providers = listProviders(scope);
  return PROBLEM_KINDS.flatMap((kind) =>
    problems
      .filter((problem) => problem.kind === kind && providers.includes(problem.provider))
      .map(({ provider, count }) => ({
        type: kind === 'stale' ? ('source_stale' as const) : ('source_error' as const),
        provider,
        reason: PROBLEM_REASONS[kind],
        // How many accounts are connected is not for keys that act for somebody; items are counted as they see them.
        count: scope.principals !== null && kind !== 'unread' ? null : count,
      })),
  );
}

function listUnknownAccess({ entries, scope }: Page): Exclusion11[] {
  // Such items never reach a key with principals, not even as a count.
  if (scope.principals !== null) return [];
  return PROVIDERS.flatMap((provider) => {
    const count = entries.filter(({ head }) => head.provider === provider && head.accessMode === 'unknown').length;
    return count === 0 ? [] : [{ type: 'access_unknown' as const, provider, reason: ACCESS_UNKNOWN_REASON, count }];
  });
}
