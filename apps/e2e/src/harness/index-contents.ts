import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { World } from './world.js';

/** Live and history, of tenants' own and shared indices alike. */
const INDICES = 'candor-*';
const HIDDEN_TOO = 'expand_wildcards=all&ignore_unavailable=true';

/** Chunks of one item or tenant that Elasticsearch itself holds, past Postgres, which would hide what must not be there. */
export async function countChunks(
  elasticsearchUrl: string,
  wanted: { itemId: string } | { tenantId: string },
): Promise<number> {
  const { count } = await ask<{ count: number }>(elasticsearchUrl, '_count', { query: { term: wanted } });
  return count;
}

/** What the search index still has of a tenant: numbers of chunks, names of indices, files of LanceDB. Nothing = `[]`. */
export async function findInIndex(world: World, tenantId: string, words: readonly string[]): Promise<string[]> {
  const { elasticsearchUrl } = world.stores;
  if (elasticsearchUrl !== undefined) return findInElasticsearch(elasticsearchUrl, tenantId, words);
  if (world.profile !== 'standalone') throw new Error('nothing is known of this index');
  return findInLanceDb(join(world.running.dataDir, 'search-index'), tenantId);
}

async function findInElasticsearch(url: string, tenantId: string, words: readonly string[]): Promise<string[]> {
  const queries = {
    [tenantId]: { term: { tenantId } },
    ...Object.fromEntries(
      words.map((word) => [word, { multi_match: { query: word, fields: ['title', 'sectionPath', 'content'] } }]),
    ),
  };
  const found: string[] = [];
  for (const [what, query] of Object.entries(queries)) {
    const { count } = await ask<{ count: number }>(url, '_count', { query });
    if (count > 0) found.push(`${count} chunks with ${what}`);
  }
  // An alias or an index of its own tells that there was a tenant.
  const names = await (await fetch(`${url}/_alias?expand_wildcards=all`)).text();
  return names.includes(tenantId) ? [...found, `a name with ${tenantId}`] : found;
}

async function findInLanceDb(directory: string, tenantId: string): Promise<string[]> {
  const names = await readdir(directory, { recursive: true });
  return names.filter((name) => name.includes(tenantId));
}

async function ask<Answer>(url: string, endpoint: string, body: object): Promise<Answer> {
  // Else what was written in the last second can't be seen.
  await fetch(`${url}/${INDICES}/_refresh?${HIDDEN_TOO}`, { method: 'POST' });
  const response = await fetch(`${url}/${INDICES}/${endpoint}?${HIDDEN_TOO}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`Elasticsearch: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}
