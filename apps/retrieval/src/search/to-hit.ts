import { freshnessOf, type Hit } from '@candor/contracts';
import { cutAccessPolicy, type ReadScope } from '@candor/persistence/views';
import { roundScore } from './round-score.js';
import type { PageEntry } from './select-page.js';

/** One hit as the API shows it (seed 002). Title, link, freshness and policy are the head's, the text the chunk's. */
export function toHit({ chunk, cosine, head }: PageEntry, scope: Pick<ReadScope, 'principals'>, now: Date): Hit {
  return {
    sourceItemId: head.itemId as Hit['sourceItemId'],
    title: head.title,
    content: chunk.content,
    url: head.url,
    provider: head.provider,
    score: roundScore(cosine),
    freshness: freshnessOf(head.syncedAt, now),
    accessPolicy: cutAccessPolicy(head.accessPolicy, scope.principals),
  };
}
