import { describe, expect, it } from '@jest/globals';
import { reason } from '../run/reason.js';
import type { ReasoningResponse } from '../run/reasoning-response.js';
import { degraded } from '../trust/trust-state.js';
import {
  envelope,
  makeDegraded,
  makeGraph,
  makeHit,
  makeProposal,
  makeTrusted,
  scriptAnswers,
  scriptGraph,
  scriptProposals,
  scriptRetriever,
} from '../testing/scripted-ports.js';
import { toCamelKeys, toSnakeKeys } from './convert-keys.js';
import { findInconsistencies } from './find-inconsistencies.js';
import { reasoningResponseFromJson, reasoningResponseToJson } from './reasoning-response-json.js';

async function makeResponse(citations: string[] = ['c1']): Promise<ReasoningResponse> {
  return reason(
    {
      query: 'Which?',
      tenantId: 'tenant-a',
      policy: { name: 'proposal_assisted' },
      providers: {
        retriever: scriptRetriever(makeTrusted([makeHit('c1'), makeHit('c2'), makeHit('c3', { verdict: 'expired' })])),
        graphProvider: scriptGraph(makeGraph(['c1', 'c2'])),
        proposalProvider: scriptProposals([makeProposal('c1', 'c2')]),
        answerProvider: scriptAnswers(envelope(...citations)),
      },
    },
    { countTokens: (text) => text.length },
  );
}
const INVALID = expect.objectContaining({ code: 'REQUEST.INVALID' });
type Json = Record<string, unknown>;
const clone = <Value>(value: Value): Value => structuredClone(value);

describe('convert keys', () => {
  it('turns keys alone, at any depth', () => {
    const camel = { trustState: { failureCode: null }, items: [{ chunkId: 'camelCase', ms: 1 }] };
    const snake = { trust_state: { failure_code: null }, items: [{ chunk_id: 'camelCase', ms: 1 }] };
    expect(toSnakeKeys(camel)).toEqual(snake);
    expect(toCamelKeys(snake)).toEqual(camel);
  });

  it.each(['trustState', 'trust__state', '_trust', 'trust_', 'Trust', 'TRUST_STATE', 'trust_2'])(
    'refuses the key %s, which would come in under two spellings',
    (key) => {
      expect(() => toCamelKeys({ items: [{ [key]: 1 }] })).toThrow(expect.objectContaining({ path: `items.0.${key}` }));
    },
  );
});

describe('reasoningResponseFromJson', () => {
  it.each([
    ['', 'confidence'],
    ['evidence', 'notes'],
    ['evidence.items.0', 'embedding'],
    ['trust_state', 'reason'],
    ['diagnostics', 'model'],
    ['diagnostics.budget', 'max_cost'],
    ['trace.steps.0', 'prompt'],
    ['citations.0', 'quotation'],
    ['proposals.0', 'approved'],
    ['proposals.0.claims.0', 'score'],
    ['contradictions.0.left', 'score'],
  ])('refuses an unknown key in %j: %s', async (path, key) => {
    const json = clone(reasoningResponseToJson(await makeResponse())) as unknown as Json;
    const parent = path === '' ? json : path.split('.').reduce<unknown>((node, part) => (node as Json)[part], json);
    (parent as Json)[key] = 1;
    expect(() => reasoningResponseFromJson(json)).toThrow(INVALID);
  });

  it('refuses every missing key', async () => {
    const json = reasoningResponseToJson(await makeResponse()) as unknown as Json;
    for (const key of Object.keys(json)) {
      const { [key]: _left, ...rest } = json;
      expect(() => reasoningResponseFromJson(rest)).toThrow(INVALID);
    }
  });

  it.each([
    ['text that is no JSON', '{"outcome":'],
    ['NaN in JSON text', '{"schema_version":NaN}'],
    ['a list', []],
    ['null', null],
  ])('refuses %s', (_what, json) => {
    expect(() => reasoningResponseFromJson(json)).toThrow(INVALID);
  });

  it.each([
    ['answered without evidence', { outcome: 'answered', answer: 'x', refusal_reason: null }],
    ['an abstention with an answer', { answer: 'x' }],
    ['an outcome that is none', { outcome: 'failed' }],
    ['a review reason for an abstention', { refusal_reason: 'review_required_policy' }],
    ['no refusal reason', { refusal_reason: null }],
    ['a clarification without a request', { outcome: 'needs_clarification', refusal_reason: 'empty_query' }],
  ])('refuses %s', async (_what, over) => {
    const retriever = scriptRetriever(makeTrusted([], { abstained: true }));
    const response = await reason({ query: 'Which?', tenantId: 'tenant-a', providers: { retriever } });
    const json = reasoningResponseToJson(response);
    expect(() => reasoningResponseFromJson(json)).not.toThrow();
    expect(() => reasoningResponseFromJson({ ...json, ...over })).toThrow(INVALID);
  });
});

describe('findInconsistencies', () => {
  it('finds none in what reason gives', async () => {
    expect(findInconsistencies(await makeResponse())).toEqual([]);
  });

  it.each([
    ['a clarification', { query: ' ', policy: {} }],
    ['a strict abstention', { query: 'Which?', policy: {} }],
    ['a lenient answer', { query: 'Which?', policy: { requireCertifiedEvidence: false } }],
  ])('finds none in %s over degraded evidence', async (_what, { query, policy }) => {
    const providers = {
      retriever: scriptRetriever(makeDegraded('CALIBRATION_MISSING', [makeHit('c1')])),
      answerProvider: scriptAnswers(envelope('c1')),
    };
    const response = await reason({ query, policy, tenantId: 'tenant-a', providers });
    expect(findInconsistencies(response)).toEqual([]);
    expect(reasoningResponseFromJson(reasoningResponseToJson(response))).toEqual(response);
  });

  it.each<[string, (response: ReasoningResponse) => unknown]>([
    ['trustState', (response) => (response.trustState = degraded('CALIBRATION_STALE'))],
    [
      'generationIdentity',
      (response) => (response.generationIdentity = { ...response.generationIdentity, tenantId: 'tenant-b' }),
    ],
    [
      'generationIdentity',
      (response) => (response.generationIdentity = { ...response.generationIdentity, generationId: 'other' }),
    ],
    [
      'generationIdentity',
      (response) => (response.generationIdentity = { ...response.generationIdentity, pipelineFingerprint: 'other' }),
    ],
    [
      'generationIdentity',
      (response) => (response.generationIdentity = { ...response.generationIdentity, corpusFingerprint: null }),
    ],
    ['calibrationIdentity.status', (response) => (response.calibrationIdentity = null)],
    ['trace.stopReason', (response) => (response.trace.stopReason = 'corpus_gap')],
    ['trace.steps.0.index', (response) => response.trace.steps.reverse()],
    ['evidence.items.0.ordinal', (response) => response.evidence?.items.reverse()],
    ['evidence.items', (response) => (response.evidence!.items[1]!.chunkId = 'c1')],
    ['evidence.excluded.0.chunkId', (response) => (response.evidence!.excluded[0]!.chunkId = 'c1')],
    ['citations.0', (response) => (response.citations[0]!.chunkId = 'c3')],
    ['citations.0', (response) => (response.citations[0]!.chunkId = 'proposal-1')],
    ['citations.0', (response) => (response.citations[0]!.ordinal = 2)],
    ['citations.0', (response) => (response.citations[0]!.documentId = 'other')],
    ['citations.0', (response) => (response.citations[0]!.documentTitle = 'other')],
    ['proposals.0.generationId', (response) => (response.proposals[0]!.generationId = 'other')],
    ['proposals.0.proposalId', (response) => (response.proposals[0]!.proposalId = 'c1')],
    ['contradictions.0.left.chunkId', (response) => (response.contradictions[0]!.left.chunkId = 'c9')],
    ['contradictions.0.right.chunkId', (response) => (response.contradictions[0]!.right.chunkId = 'c9')],
  ])('finds %s', async (path, spoil) => {
    const response = clone(await makeResponse());
    spoil(response);
    expect(findInconsistencies(response)).toContain(path);
    expect(() => reasoningResponseToJson(response)).toThrow(INVALID);
  });

  it.each(['generationId', 'pipelineFingerprint'] as const)(
    'wants a trusted response to name its %s',
    async (field) => {
      const response = clone(await makeResponse());
      response.generationIdentity[field] = null;
      response.evidence!.identity[field] = null;
      response.proposals = [];
      expect(findInconsistencies(response)).toEqual([`generationIdentity.${field}`]);
    },
  );

  it('wants uncertified evidence to hold no item and to be degraded', async () => {
    const response = clone(await makeResponse([])) as ReasoningResponse & { refusalReason: string };
    response.refusalReason = 'uncertified_evidence';
    response.trace.stopReason = 'uncertified_evidence';
    expect(findInconsistencies(response)).toEqual(['refusalReason', 'evidence.items']);
  });

  it('lets a contradiction cite what a declared relation took out', async () => {
    const response = clone(await makeResponse());
    response.contradictions[0]!.right.chunkId = 'c3';
    expect(findInconsistencies(response)).toEqual([]);
  });
});
