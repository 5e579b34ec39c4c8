import { PROVIDERS, type Hit, type Limitation } from '@candor/contracts';
import { listProviders } from '../../search/narrow-scope.js';
import type { RetrievedPage } from '../../search/retrieval-run.js';

/** Caveats about the retrieval as a whole (seed 002). */
export function listLimitations({ scope }: Pick<RetrievedPage, 'scope'>, hits: readonly Hit[]): Limitation[] {
  const limitations: Limitation[] = [];
  if (hits.length === 0) {
    limitations.push({
      code: 'no_context',
      message: "Nothing matching this query was found within the caller's scope.",
    });
  }
  const eligible = listProviders(scope);
  if (eligible.length < PROVIDERS.length) {
    limitations.push({
      code: 'provider_scope_applied',
      message:
        eligible.length === 0
          ? 'No provider was eligible for retrieval.'
          : `Only ${eligible.join(', ')} memory was eligible for retrieval.`,
    });
  }
  if (hits.some((hit) => hit.freshness === null)) {
    limitations.push({
      code: 'missing_sync_timestamp',
      message: 'One or more sources lack freshness metadata.',
    });
  }
  if (hits.some((hit) => hit.accessPolicy === null)) {
    limitations.push({
      code: 'missing_source_access_policy',
      message: "One or more sources don't have a preserved access policy.",
    });
  }
  return limitations;
}
