import type { AuditFacts } from '@candor/contracts';
import { listProviders } from './narrow-scope.js';
import type { RetrievedPage } from './retrieval-run.js';

/** What the audit event says of a retrieval: ids, counts and timings (ms, 0.1); never content. */
export function toAuditFacts(page: RetrievedPage): AuditFacts {
  const { embed, search, recheck, total } = page.tookMs;
  return {
    candidates: page.candidates,
    rounds: page.rounds,
    hits: page.entries.length,
    relevant: page.relevant,
    itemIds: [...new Set(page.entries.map((entry) => entry.chunk.itemId))],
    providers: listProviders(page.scope),
    excluded: page.excluded.totals(),
    tookMs: { embed: tenths(embed), search: tenths(search), recheck: tenths(recheck), total: tenths(total) },
    generationId: page.generation?.id ?? null,
  };
}

function tenths(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}
