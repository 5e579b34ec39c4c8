import type { Hit, Hit11 } from '@candor/contracts';
import { bold, code, count, inline, paragraphs, quote } from './markdown.js';

/** Hits as a numbered list: the numbers are those of a contract's citations. */
export function renderHits(hits: readonly (Hit | Hit11)[]): string {
  return paragraphs([`${count(hits.length, 'hit')}.`, ...hits.map(renderHit)]);
}

function renderHit(hit: Hit | Hit11, index: number): string {
  const facts = [
    hit.provider,
    `score ${hit.score}`,
    hit.freshness ? `synced ${hit.freshness.ageHours} h ago` : 'time of the last sync unknown',
  ];
  const ids = [`sourceItemId ${code(hit.sourceItemId)}`, ...('chunkId' in hit ? [`chunkId ${code(hit.chunkId)}`] : [])];
  return [
    `[${index + 1}] ${bold(hit.title)} (${facts.join(', ')})`,
    [...ids, ...(hit.url === null ? [] : [inline(hit.url)])].join(' · '),
    quote(hit.content),
  ].join('\n');
}
