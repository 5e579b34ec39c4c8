import type { SourceProblem } from '@candor/persistence/views';
import type { ContextBody, ContextContract10, ContextContract11, Hit, Hit11, RequestId } from '@candor/contracts';
import { nameStrategy } from '../../search/fusion-settings.js';
import type { RetrievedPage } from '../../search/retrieval-run.js';
import type { PageEntry } from '../../search/select-page.js';
import { toHit } from '../../search/to-hit.js';
import { judgeValidity } from '../../search/judge-validity.js';
import { listExclusions10, listExclusions11 } from './list-exclusions.js';
import { listLimitations } from './list-limitations.js';

export interface ContextContractInput {
  requestId: RequestId;
  issuedAt: Date;
  request: Pick<ContextBody, 'query' | 'limit' | 'providers' | 'knownAsOf'>;
  /** Its entries in the order they are shown. */
  page: RetrievedPage;
}

/** Seed 002's contract, no field more or less. */
export function buildContextContract10(input: ContextContractInput): ContextContract10 {
  const { page, issuedAt, request } = input;
  const hits = page.entries.map((entry) => toHit(entry, page.scope, issuedAt));
  return {
    contract: { version: '1.0', ...headerOf(input) },
    query: { raw: request.query, limit: request.limit },
    hits,
    citations: citationsOf(hits),
    exclusions: listExclusions10(page),
    limitations: listLimitations(page, hits),
  };
}

/** By request: what 1.0 says, which chunk and version each hit is, how it was ranked, and what else was left out. */
export function buildContextContract11(
  input: ContextContractInput,
  problems: readonly SourceProblem[] = [],
): ContextContract11 {
  const { page, issuedAt, request } = input;
  const judgedAt = request.knownAsOf === undefined ? issuedAt : new Date(request.knownAsOf);
  const hits = page.entries.map((entry) => toHit11(entry, toHit(entry, page.scope, issuedAt), judgedAt));
  return {
    contract: { version: '1.1', ...headerOf(input) },
    query: { raw: request.query, limit: request.limit },
    hits,
    citations: citationsOf(hits),
    exclusions: listExclusions11(page, problems),
    limitations: listLimitations(page, hits),
    retrieval: {
      strategy: nameStrategy(page.denseWeight),
      generationId: page.generation?.id ?? null,
      pipelineFingerprint: page.generation?.pipelineFingerprint ?? '',
      corpusFingerprint: page.generation?.corpusFingerprint ?? '',
      candidates: page.candidates,
      tookMs: Math.round(page.tookMs.total * 10) / 10,
      exact: page.exact,
    },
  };
}

function headerOf({ requestId, issuedAt, page }: ContextContractInput) {
  return {
    requestId,
    endpoint: '/v1/context' as const,
    issuedAt: issuedAt.toISOString(),
    callerActorType: page.key.actorType,
    callerApiKeyId: page.key.apiKeyId as ContextContract10['contract']['callerApiKeyId'],
  };
}

/** Numbered 1..n in the order of the hits; each item is one hit, so each is cited once. */
function citationsOf(hits: readonly Hit[]): ContextContract10['citations'] {
  return hits.map(({ sourceItemId, title }, index) => ({ index: index + 1, sourceItemId, title }));
}

function toHit11({ chunk, head, cosine, denseRank, lexicalScore, fused }: PageEntry, hit: Hit, judgedAt: Date): Hit11 {
  return {
    ...hit,
    chunkId: chunk.chunkId as Hit11['chunkId'],
    version: chunk.version,
    contentHash: head.contentHash,
    ranking: { dense: denseRank === null ? null : cosine, lexical: lexicalScore, fused },
    validity: {
      validFrom: head.validFrom?.toISOString() ?? null,
      validUntil: head.validUntil?.toISOString() ?? null,
      state: judgeValidity(head, judgedAt),
    },
  };
}
