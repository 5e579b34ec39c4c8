import { calibrate, parseEvidencePayload, trustedResultSchema } from '@candor/reasoning';
import { EmbedderRegistry } from '@candor/embeddings';
import { RetrievalService } from '@candor/retrieval';
import { CallerTokenSigner } from '@candor/runtime';
import { RunReasoningService } from '../../../../apps/synthesis/dist/features/run-reasoning/run-reasoning.service.js';
import { TENANT } from '../build-chunks.mjs';
import { CALLER, corpusViews, GENERATION_ID } from '../corpus-views.mjs';
import { openIndex } from './open-reasoning.mjs';

const RUN_ID = '00000000-0000-4000-8000-000000000004';
const LONGEST_RUN_MS = 600_000;
/** Hits looked at for a calibration, as `POST /v1/calibrations` does. */
const CALIBRATION_HITS = 20;
const LEAST_SCORES = 20;

/** Notes what the provider was shown and what it returned; changes neither. */
class WatchedProvider {
  #inner;

  constructor(inner) {
    this.#inner = inner;
    this.name = inner.name;
  }

  async answer(prompt, context) {
    this.seen = { prompt };
    const output = await this.#inner.answer(prompt, context);
    this.seen.output = typeof output === 'string' ? parseLeniently(output) : output;
    return output;
  }
}

function parseLeniently(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** What reasoning reads of Postgres: passages are held against the documents; nothing is replaced, related or reviewed. */
function corpusReads(items, calibrationOf) {
  const texts = new Map(
    items.flatMap(({ version, nodes }) =>
      nodes.map(({ chunkId, start, end }) => [chunkId, version.text.slice(start, end)]),
    ),
  );
  const ids = new Set(items.map(({ head }) => head.id));
  const standing = { sourceDate: null, successors: [] };
  return {
    readStandings: async (_viewer, itemIds) => new Map(itemIds.filter((id) => ids.has(id)).map((id) => [id, standing])),
    findVerified: async (_tenantId, passages) =>
      new Set(passages.filter(({ chunkId, content }) => texts.get(chunkId) === content).map(({ chunkId }) => chunkId)),
    countItems: async () => items.length,
    findCalibration: async () => calibrationOf(),
    readRelationGraph: async () => ({ documents: [], relations: [], cut: null, dismissedProposalIds: [] }),
    readModelConsent: async () => true,
  };
}

/**
 * What answers `/v1/reasoning`, in one process: trusted retrieval over LanceDB, engine, provider; without Postgres, gateway
 * and queue. `ask(query, { isLive? })` gives `{ reply, prompt, output }`: the reply as the gateway gets it. `calibrateWith`
 * certifies it, or doesn't, as `POST /v1/calibrations` would: until then the trust is degraded.
 */
export async function openTyped({ items, chunksOfItems, embedder, answerProvider }) {
  const { reader, generation, close } = await openIndex({ chunksOfItems, embedder });
  const signer = new CallerTokenSigner('bench'.repeat(8));
  const call = { requestId: RUN_ID, callerToken: signer.sign(CALLER, 24 * 3_600_000) };
  let calibration = null;
  const retrievalOver = (live) =>
    new RetrievalService({
      reader,
      views: corpusViews(live, generation),
      embedders: EmbedderRegistry.around(embedder),
      signer,
      reasoning: corpusReads(live, () => calibration),
    });
  const retrievalFor = (isLive) =>
    retrievalOver(isLive === undefined ? items : items.filter(({ document }) => isLive(document)));

  const score = async (query, isLive) => {
    const request = { query, knownAsOf: null, limit: CALIBRATION_HITS };
    const deadline = new Date(Date.now() + LONGEST_RUN_MS);
    const reply = await retrievalFor(isLive).call('trustedSearch', call, request, { deadline });
    const { hits } = trustedResultSchema.parse(reply.result);
    const judged = hits.filter(({ verdict }) => verdict === 'ok' || verdict === 'low_confidence');
    return judged.reduce((best, hit) => Math.max(best, hit.score), 0);
  };

  /** @param labelled `{ query, answerable, isLive? }`; fewer than 20 of a kind calibrate nothing. */
  const calibrateWith = async (labelled) => {
    const scores = { answerable: [], unanswerable: [] };
    for (const { query, answerable, isLive } of labelled)
      scores[answerable ? 'answerable' : 'unanswerable'].push(await score(query, isLive));
    if (Math.min(scores.answerable.length, scores.unanswerable.length) < LEAST_SCORES) return null;
    calibration = calibrate(scores, {
      tenantId: TENANT,
      generationId: GENERATION_ID,
      pipelineFingerprint: 'bench',
      querySetDigest: 'bench',
      corpusFingerprint: 'bench',
      corpusSize: items.length,
      createdAt: new Date().toISOString(),
    });
    return calibration;
  };

  const ask = async (query, { isLive, strict = false } = {}) => {
    const provider = new WatchedProvider(answerProvider);
    const service = new RunReasoningService({
      retrieval: retrievalFor(isLive),
      answerProvider: provider,
      providerFor: () => provider,
    });
    const reply = await service.run({
      tenantId: TENANT,
      ...call,
      runId: RUN_ID,
      replyTo: 'bench',
      deadline: new Date(Date.now() + LONGEST_RUN_MS).toISOString(),
      request: { query: query.trim(), policy: { require_certified_evidence: strict } },
    });
    const { prompt, output } = provider.seen ?? {};
    return { reply, prompt, shown: prompt === undefined ? [] : parseEvidencePayload(prompt.user).evidence, output };
  };
  return { ask, calibrateWith, close };
}
