// Whether the relevance floor, measured on questions and paragraphs, holds for short queries and prompts too: what
// docs/adr/0013-prompts-and-collections-are-compared-one-by-one.md says of find_items. Build first.
import { readFile } from 'node:fs/promises';
import { findRelevanceProfile } from '@candor/embeddings';
import { loadEmbedder } from './support/load-embedder.mjs';

const { prompts, queries } = JSON.parse(
  await readFile(new URL('./fixtures/library-prompts.json', import.meta.url), 'utf8'),
);
const model = process.argv[2] ?? 'bge-small-en-v1.5-q';
const embedder = await loadEmbedder(model);
const { relevanceFloor } = findRelevanceProfile({ model });
const vectors = await embedder.embedPassages(prompts.map((parts) => parts.join('\n')));
const dot = (left, right) => left.reduce((sum, value, index) => sum + value * right[index], 0);

const counts = { meant: 0, found: 0, first: 0, others: 0, othersShown: 0 };
for (const [query, meant] of queries) {
  const vector = await embedder.embedQuery(query);
  const cosines = vectors.map((prompt) => dot(prompt, vector));
  const best = Math.max(...cosines);
  if (meant !== null) {
    counts.meant += 1;
    counts.found += Number(cosines[meant] >= relevanceFloor);
    counts.first += Number(cosines[meant] === best);
  }
  const others = cosines.filter((_, index) => index !== meant);
  counts.others += others.length;
  counts.othersShown += others.filter((cosine) => cosine >= relevanceFloor).length;
}
await embedder.close();
process.stdout.write(
  `${model}, floor ${relevanceFloor}: ${counts.found} of ${counts.meant} meant prompts are shown, ${counts.first} of them first; ` +
    `${counts.othersShown} of ${counts.others} others are shown.\n`,
);
