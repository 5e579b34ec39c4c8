import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbedderRegistry } from '@candor/embeddings';
import { RetrievalService } from '@candor/retrieval';
import { CallerTokenSigner } from '@candor/runtime';
import { createLanceDbIndex } from '@candor/search-index/write';
import { TENANT, writeChunks } from './build-chunks.mjs';
import { CALLER, corpusViews } from './corpus-views.mjs';

/**
 * Asks the retrieval that answers the API, over LanceDB, with everything of the corpus live or, for a question about
 * something absent, with its subject deleted.
 *
 * @returns {{ reason, context }[]} for each question: is the evidence relevant; has the context hits.
 */
export async function askRetrieval(questions, items, chunksOfItems, embedder, { absent = false } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'candor-relevance-'));
  const address = { tenantId: TENANT, generation: 'relevance' };
  const { reader, writer } = createLanceDbIndex({ directory: folder });
  const signer = new CallerTokenSigner('bench'.repeat(8));
  const serviceOver = (live) =>
    new RetrievalService({
      reader,
      views: corpusViews(live, 'relevance'),
      embedders: EmbedderRegistry.around(embedder),
      signer,
    });
  try {
    await writeChunks(writer, address, chunksOfItems, embedder.profile.dimensions);
    const answers = [];
    for (const { text, subjects } of questions) {
      const service = serviceOver(items.filter(({ document }) => !absent || !subjects.has(document.subject)));
      const ask = async (method, request) =>
        (await service.handle(method, { requestId: CALLER.apiKeyId, scope: CALLER, deadline: null, request })).result;
      const evidence = await ask('findPassages', { query: text, limit: 50 });
      const context = await ask('context', { query: text, limit: 8, ranking: 'similarity', contractVersion: '1.1' });
      answers.push({
        reason: evidence.relevant,
        context: !context.limitations.some(({ code }) => code === 'no_context'),
      });
    }
    return answers;
  } finally {
    await writer.close();
    await reader.close();
    await rm(folder, { recursive: true, force: true });
  }
}
