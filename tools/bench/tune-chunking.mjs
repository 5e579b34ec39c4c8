// How large chunks should be: each ranking of each set, through the product's own path, for several chunk sizes. Prints the
// first table of docs/reference/chunking.md. Build first; the first run embeds SciFact once a size, some ten minutes each.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createLanceDbIndex } from '@candor/search-index/write';
import {
  chunkLimitsFor,
  DEFAULT_CHUNK_LIMITS,
} from '../../apps/ingestion-worker/dist/features/extract-item/chunk-document.js';
import { embedItems, prepareItems } from './support/build-chunks.mjs';
import { readDataSet } from './support/data-sets.mjs';
import { KeptVectorEmbedder } from './support/kept-vectors.mjs';
import { loadEmbedder } from './support/load-embedder.mjs';
import { measureRanking } from './support/measure-ranking.mjs';
import { say, table } from './support/report.mjs';

const { values: options } = parseArgs({
  options: {
    sets: { type: 'string', default: 'scifact,squad,hotpot,xquad-en' },
    targets: { type: 'string', default: '120,200,300,440' },
    sample: { type: 'string' },
    model: { type: 'string', default: 'bge-small-en-v1.5-q' },
    'embed-only': { type: 'boolean', default: false },
  },
});

/** The other limits in their usual proportion, as far as the model's input leaves room for title and headings. */
function limitsAt(target, usual) {
  const share = target / usual.targetTokens;
  const most = (tokens) => Math.min(Math.round(tokens * share), 480);
  return {
    ...DEFAULT_CHUNK_LIMITS,
    targetTokens: target,
    minTokens: most(usual.minTokens),
    maxTokens: most(usual.maxTokens),
    sectionTokens: most(usual.sectionTokens),
  };
}

const embedder = await KeptVectorEmbedder.open(await loadEmbedder(options.model, say), say);
const usual = chunkLimitsFor(embedder.profile.maxTokens);
const rows = [];
try {
  for (const name of options.sets.split(',')) {
    const set = await readDataSet(name, options.sample === undefined ? undefined : Number(options.sample));
    for (const target of options.targets.split(',').map(Number)) {
      const limits = limitsAt(target, usual);
      const items = prepareItems(set.documents, (text) => embedder.countTokens(text), limits);
      const chunks = await embedItems(items, embedder);
      say(`${set.title}, target ${target}: ${chunks.flat().length} chunks`);
      if (options['embed-only']) continue;
      const directory = await mkdtemp(join(tmpdir(), 'candor-chunking-'));
      const index = createLanceDbIndex({ directory });
      const result = await measureRanking(set, items, chunks, index, embedder);
      await Promise.all([index.reader.close(), index.writer.close()]);
      await rm(directory, { recursive: true, force: true });
      const isUsual = target === usual.targetTokens;
      const bold = (text) => (isUsual ? `**${text}**` : text);
      const cells = [result.fused, result.dense, result.lexical].map((value) => value.toFixed(3));
      rows.push([
        set.title,
        set.metric,
        bold(`${limits.targetTokens} / ${limits.minTokens} / ${limits.maxTokens}`),
        chunks.flat().length,
        ...cells.map((cell, place) => (place === 0 ? bold(cell) : cell)),
      ]);
    }
  }
} finally {
  await embedder.close();
}
const HEAD = ['set', 'metric', 'target / least / most tokens', 'chunks', 'fused', 'dense leg', 'BM25 leg'];
if (!options['embed-only']) console.log(table(HEAD, rows));
