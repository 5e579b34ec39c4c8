import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbedderRegistry } from '@candor/embeddings';
import { parseSynthesisOutput, validateCitations } from '@candor/reasoning';
import { RetrievalService } from '@candor/retrieval';
import { CallerTokenSigner } from '@candor/runtime';
import { createLanceDbIndex } from '@candor/search-index/write';
import { AnswerQuestionService } from '../../../../apps/synthesis/dist/features/answer-question/answer-question.service.js';
import { itemIdOf, TENANT, writeChunks } from '../build-chunks.mjs';
import { CALLER, corpusViews } from '../corpus-views.mjs';

const GENERATION = 'reason';
const RUN_ID = '00000000-0000-4000-8000-000000000004';
const LIMIT = 50;
export const MAX_TOKENS = 8_000;
const LONGEST_RUN_MS = 600_000;

/** Notes what the provider was shown and what it returned; changes neither. */
class WatchedProvider {
  #inner;

  constructor(inner) {
    this.#inner = inner;
    this.name = inner.name;
  }

  async synthesize(request) {
    this.seen = { packet: request.packet };
    const output = await this.#inner.synthesize(request);
    this.seen.output = output;
    return output;
  }
}

/**
 * What answers `/v1/reason`, in one process: retrieval over LanceDB, gate, packet, provider, citation check. Only
 * Postgres is replaced, by a corpus in which everything is live, and the queue between gateway and synthesis left out.
 *
 * `ask(query, { isLive?, documentId? })` gives `{ reply, facts, packet, output, kept, citationsDropped }`: the reply as
 * the gateway gets it, the rest what led to it; `packet` is undefined where the provider wasn't asked.
 */
export async function openReasoning({ items, chunksOfItems, embedder, answerProvider, maxTokens = MAX_TOKENS }) {
  const { reader, close } = await openIndex({ chunksOfItems, embedder });
  const signer = new CallerTokenSigner('bench'.repeat(8));
  const callerToken = signer.sign(CALLER, 24 * 3_600_000);

  const retrievalOver = (live) =>
    new RetrievalService({
      reader,
      views: corpusViews(live, GENERATION),
      embedders: EmbedderRegistry.around(embedder),
      signer,
    });
  const whole = retrievalOver(items);

  const ask = async (query, { isLive, documentId } = {}) => {
    const provider = new WatchedProvider(answerProvider);
    const retrieval = isLive === undefined ? whole : retrievalOver(items.filter(({ document }) => isLive(document)));
    const service = new AnswerQuestionService({ retrieval, providerFor: () => provider });
    const reply = await service.answer({
      tenantId: TENANT,
      requestId: RUN_ID,
      runId: RUN_ID,
      callerToken,
      replyTo: 'bench',
      deadline: new Date(Date.now() + LONGEST_RUN_MS).toISOString(),
      query: query.trim(),
      limit: LIMIT,
      maxTokens,
      ...(documentId === undefined ? {} : { documentId: itemIdOf(documentId) }),
    });
    return { reply, facts: reply.facts, ...provider.seen, ...judgeOutput(provider.seen) };
  };
  return { ask, close };
}

/** The chunks in a LanceDB of their own, which goes with `close`. */
export async function openIndex({ chunksOfItems, embedder }) {
  const folder = await mkdtemp(join(tmpdir(), 'candor-reason-'));
  const { reader, writer } = createLanceDbIndex({ directory: folder });
  const close = async () => {
    await writer.close();
    await reader.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const address = { tenantId: TENANT, generation: GENERATION };
    await writeChunks(writer, address, chunksOfItems, embedder.profile.dimensions);
  } catch (error) {
    await close();
    throw error;
  }
  return { reader, generation: GENERATION, close };
}

/** The references that the engine keeps and drops; none of either for an output that it refuses. */
export function judgeOutput({ packet, output } = {}) {
  if (output === undefined) return { kept: [], statements: 0, references: 0, citationsDropped: 0 };
  let statements;
  try {
    ({ statements } = parseSynthesisOutput(output));
  } catch {
    return { kept: [], statements: 0, references: 0, citationsDropped: 0 };
  }
  const references = statements.flatMap((statement) => statement.references).length;
  return { ...validateCitations(statements, packet.admitted), statements: statements.length, references };
}
