// Fills the cache of vectors for the quality benchmark, so that its runs are short: node tools/bench/embed-ahead.mjs [set …]
import { prepareItemsFor } from './support/build-chunks.mjs';
import { readDataSet, MEASURED_SETS } from './support/data-sets.mjs';
import { KeptVectorEmbedder } from './support/kept-vectors.mjs';
import { loadEmbedder } from './support/load-embedder.mjs';
import { say } from './support/report.mjs';

const names = process.argv.length > 2 ? process.argv.slice(2) : MEASURED_SETS;
const embedder = await KeptVectorEmbedder.open(await loadEmbedder('bge-small-en-v1.5-q', say), say);
for (const name of names) {
  const { documents, queries } = await readDataSet(name);
  const items = prepareItemsFor(embedder, documents);
  const texts = items.flatMap((item) => item.texts);
  say(`${name}: ${documents.length} documents, ${texts.length} chunks, ${queries.length} queries`);
  await embedder.embedPassages(texts);
  for (const { text } of queries) await embedder.embedQuery(text.trim());
}
await embedder.close();
