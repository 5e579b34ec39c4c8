import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findInconsistencies } from '../serialization/find-inconsistencies.js';
import { reasoningResponseFromJson, reasoningResponseToJson } from '../serialization/reasoning-response-json.js';
import { DEFAULT_SCENARIO, PINNED, PINNED_SCENARIOS, play, says, type Scenario } from '../testing/pinned-scenarios.js';
import {
  IDENTITY,
  envelope,
  makeDegraded,
  makeGraph,
  makeHit,
  makeProposal,
  makeTrusted,
} from '../testing/scripted-ports.js';
import { TRUST_FAILURE_CODES } from '../trust/trust-state.js';
import type { TrustedResult } from '../trust/trusted-result.js';
import { VERDICTS } from '../trust/verdict.js';
import { POLICY_NAMES } from './reasoning-policy.js';
import type { ReasoningResponse } from './reasoning-response.js';

/** Few ids, so that proposals, demoted and unretrieved passages and citations collide. */
const id = fc.constantFrom('c1', 'c2', 'c3', 'c4', 'proposal-1', 'document-of-c1');
const likely = fc.oneof({ weight: 3, arbitrary: fc.constant('c1') }, id);
const hit = fc
  .record({
    chunkId: likely,
    verdict: fc.oneof({ weight: 4, arbitrary: fc.constant('ok' as const) }, fc.constantFrom(...VERDICTS)),
    score: fc.double({ noNaN: true, min: -1, max: 1 }),
    text: fc.oneof(
      fc.string(),
      fc.integer({ min: 1, max: 3 }).map((limit) => `The rate limit of the service is ${limit} requests a day.`),
    ),
  })
  .map(({ chunkId, ...over }) => makeHit(chunkId, over));
const rarely = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });
const identity = fc.oneof(
  { weight: 12, arbitrary: fc.constant(IDENTITY) },
  fc.constant({ ...IDENTITY, tenantId: 'tenant-b' }),
  fc.constant({ ...IDENTITY, generationId: 'generation-2' }),
);
const retrieval: fc.Arbitrary<TrustedResult> = fc
  .tuple(fc.array(hit, { maxLength: 5 }), identity, fc.boolean(), rarely(fc.constantFrom(...TRUST_FAILURE_CODES)))
  .map(([hits, of, abstained, failureCode]) => ({
    ...(failureCode === null ? makeTrusted(hits) : makeDegraded(failureCode, hits)),
    identity: of,
    abstained: abstained && hits.length < 2,
  }));
const garbage = fc.oneof(fc.jsonValue(), fc.string(), fc.constant(undefined), fc.constant(new Error('down')));
const output = <Valid>(valid: fc.Arbitrary<Valid>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 3, arbitrary: valid }, { weight: 1, arbitrary: garbage });
const answer = output(
  fc
    .record({
      answer: fc.oneof(
        fc.string({ minLength: 1 }),
        id.map((chunkId) => `So it is [[${chunkId}]].`),
      ),
      citations: fc.array(
        fc.oneof(
          { weight: 8, arbitrary: likely },
          id.map((chunkId) => `[[${chunkId}]]`),
          fc.string(),
        ),
        { maxLength: 2 },
      ),
      insufficient_evidence: rarely(fc.constant(true)).map((insufficient) => insufficient === true),
    })
    .chain((envelope) => fc.constantFrom<unknown>(envelope, JSON.stringify(envelope))),
);
const proposals = output(
  fc.array(
    fc
      .record({
        left: id,
        right: id,
        proposalId: rarely(id).map((other) => other ?? 'proposal-1'),
        generationId: rarely(fc.constant('generation-2')).map((other) => other ?? 'generation-1'),
      })
      .map(({ left, right, ...over }) => makeProposal(left, right, over)),
    { maxLength: 2 },
  ),
);

const wild = {
  query: fc.constantFrom('What is the rate limit?', '', ' \n'),
  retrieval: output(retrieval),
  deeper: output(fc.array(retrieval, { maxLength: 3 })),
  queries: output(fc.record({ queries: fc.array(fc.string(), { maxLength: 4 }) })),
  graph: output(identity.chain((of) => fc.constant(makeGraph(['c1', 'c2', 'c3', 'c4'], { identity: of })))),
  proposals,
  answer,
  budget: fc.record({
    maxSteps: fc.integer({ min: 1, max: 12 }),
    maxGraphNodes: fc.integer({ min: 1, max: 12 }),
    maxEvidenceTokens: fc.nat(4000),
  }),
};
/** One thing that goes wrong is seen best where all else goes well. */
const usual: { [Part in keyof typeof wild]: fc.Arbitrary<unknown> } = {
  query: fc.constant('What is the rate limit?'),
  retrieval: fc.constantFrom(
    makeTrusted([says('c1', 1), says('c2', 2), makeHit('c3', { verdict: 'expired' })]),
    makeDegraded('CALIBRATION_STALE', [says('c1', 1)]),
    makeTrusted([], { abstained: true }),
  ),
  deeper: fc.constant([makeTrusted([says('c1', 1)])]),
  queries: fc.constant({ queries: ['limit'] }),
  graph: fc.constant(makeGraph(['c1', 'c2', 'c3', 'c4'])),
  proposals: fc.constantFrom([], [makeProposal('c1', 'c2')]),
  answer: fc.constant(envelope('c1')),
  budget: fc.constant({ maxSteps: 12, maxGraphNodes: 12, maxEvidenceTokens: 4000 }),
};
/** Each part as usual, but for one in six. */
const mixed = <Part extends keyof typeof wild>(part: Part) =>
  fc.oneof({ weight: 5, arbitrary: usual[part] }, { weight: 1, arbitrary: wild[part] }) as (typeof wild)[Part];

const scenario = fc.record({
  query: mixed('query'),
  retrieval: mixed('retrieval'),
  deeper: mixed('deeper'),
  queries: mixed('queries'),
  graph: mixed('graph'),
  proposals: mixed('proposals'),
  answer: mixed('answer'),
  budget: mixed('budget'),
  policy: fc.record({
    name: fc.constantFrom('evidence_assembly' as const, ...POLICY_NAMES),
    requireCertifiedEvidence: fc.boolean(),
    allowRetrievalExpansion: fc.boolean(),
  }),
});
/** What the runs of a property reach: of what none reaches, it proves nothing. */
class Reached {
  private readonly counts = new Map<string, number>();

  count(...states: string[]): void {
    for (const state of states) this.counts.set(state, (this.counts.get(state) ?? 0) + 1);
  }

  expectAll(...states: string[]): void {
    expect(states.filter((state) => !this.counts.has(state))).toEqual([]);
  }
}

const OUTCOMES = ['answered', 'abstained', 'needs_clarification', 'needs_review'];

/** What a response shows of the way it took. */
function describeRun(response: ReasoningResponse): string[] {
  const { outcome, diagnostics, proposals, contradictions, providerFailures, evidence } = response;
  const seen = [
    proposals.length > 0 && 'proposals',
    contradictions.length > 0 && 'contradictions',
    diagnostics.retrievalRounds > 1 && 'expansion',
    (evidence?.excluded.length ?? 0) > 0 && 'excluded hits',
    response.trustState?.state === 'degraded' && 'degraded trust',
  ].filter((state) => state !== false);
  return [
    outcome,
    ...seen.map((state) => `${outcome} with ${state}`),
    ...providerFailures.map(({ provider }) => `failed ${provider}`),
  ];
}

const EXAMPLES = PINNED_SCENARIOS.map((given): [Scenario] => [given]);
/** What the first property has to reach, and the pinned scenarios reach alone. */
const STATES = [
  ...OUTCOMES,
  ...['proposals', 'expansion', 'excluded hits', 'degraded trust', 'contradictions'].map(
    (state) => `answered with ${state}`,
  ),
  ...['retriever', 'answer_provider', 'proposal_provider', 'graph_provider'].map((port) => `failed ${port}`),
];

type Json = Record<string, unknown>;

/** Every object of a value, and every place that holds a number. */
function listPlaces(value: unknown): { objects: Json[]; numbers: [Json, string][] } {
  const objects: Json[] = [];
  const numbers: [Json, string][] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if (!Array.isArray(node)) objects.push(node as Json);
    for (const [key, child] of Object.entries(node)) {
      if (typeof child === 'number') numbers.push([node as Json, key]);
      walk(child);
    }
  };
  walk(value);
  return { objects, numbers };
}

describe('properties of reason', () => {
  it('are held to scenarios that reach every state without luck', async () => {
    const reached = new Reached();
    for (const given of PINNED_SCENARIOS) reached.count(...describeRun(await play(given)));
    reached.expectAll(...STATES);
  });

  it('never answers with a citation that is not in the trusted bundle, whatever the providers give', async () => {
    const reached = new Reached();
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const response = await play(given);
        expect(findInconsistencies(response)).toEqual([]);
        reached.count(...describeRun(response));
        if (response.outcome !== 'answered') {
          expect(response.citations).toEqual([]);
          return;
        }
        const results = [given.retrieval, ...(Array.isArray(given.deeper) ? (given.deeper as unknown[]) : [])];
        const hits = results.flatMap((result) => (result as Partial<TrustedResult> | undefined)?.hits ?? []);
        const items = new Set(response.evidence.items.map((item) => item.chunkId));
        expect(response.citations.length).toBeGreaterThan(0);
        for (const { chunkId } of response.citations) {
          expect(items.has(chunkId)).toBe(true);
          expect(hits.some((found) => found.chunkId === chunkId && found.verdict === 'ok')).toBe(true);
        }
        expect(response.answer).not.toMatch(/\[\[/);
        expect(response.generationIdentity).toMatchObject({ tenantId: 'tenant-a', generationId: 'generation-1' });
        if (given.policy.requireCertifiedEvidence) expect(response.trustState.state).toBe('trusted');
      }),
      { numRuns: 600, examples: EXAMPLES },
    );
    reached.expectAll(...STATES);
  });

  it('carries no text of the corpus when it abstains as uncertified', async () => {
    const reached = new Reached();
    await fc.assert(
      fc.asyncProperty(retrieval, fc.constantFrom(...POLICY_NAMES), async (found, name) => {
        const given = { ...found, hits: found.hits.map((one) => ({ ...one, text: `SECRET ${one.text}` })) };
        const response = await play({
          ...DEFAULT_SCENARIO,
          retrieval: given,
          policy: { name, requireCertifiedEvidence: true, allowRetrievalExpansion: true },
        });
        if (response.refusalReason === 'uncertified_evidence') {
          reached.count(found.hits.length > 0 ? 'uncertified' : 'uncertified without hits');
          expect(JSON.stringify(response)).not.toContain('SECRET');
          expect(response.diagnostics.answerProviderInvoked).toBe(false);
        }
      }),
      { numRuns: 100, examples: [[makeDegraded('CALIBRATION_STALE', [makeHit('c1')]), 'evidence_assembly']] },
    );
    reached.expectAll('uncertified');
  });

  it('gives responses whose JSON round trip is the identity', async () => {
    const reached = new Reached();
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const response = await play(given);
        reached.count(...describeRun(response));
        const text = JSON.stringify(reasoningResponseToJson(response));
        expect(reasoningResponseFromJson(text)).toEqual(response);
        expect(JSON.stringify(reasoningResponseToJson(reasoningResponseFromJson(text)))).toBe(text);
      }),
      { numRuns: 300, examples: EXAMPLES },
    );
    reached.expectAll(...OUTCOMES, 'answered with excluded hits');
  });

  it('rejects an unknown key, a missing key and a number that is none, at any place', async () => {
    const reached = new Reached();
    const badNumber = fc.constantFrom<unknown>(NaN, Infinity, -Infinity, 'NaN', 'Infinity', '-Infinity', '1', true);
    const rejected = (json: unknown): void =>
      expect(() => reasoningResponseFromJson(json)).toThrow(expect.objectContaining({ code: 'REQUEST.INVALID' }));
    await fc.assert(
      fc.asyncProperty(scenario, fc.nat(), badNumber, fc.string({ minLength: 1 }), async (given, at, bad, key) => {
        const response = await play(given);
        const json = reasoningResponseToJson(response);
        const pick = <Value>(values: Value[]): Value => values[at % values.length]!;

        const extended = structuredClone(json);
        const object = pick(listPlaces(extended).objects);
        if (Object.hasOwn(object, key)) return;
        Object.defineProperty(object, key, { value: 1, enumerable: true });
        rejected(extended);

        const shortened = structuredClone(json);
        const poorer = pick(listPlaces(shortened).objects);
        const [gone] = Object.keys(poorer).slice(at % Math.max(1, Object.keys(poorer).length));
        if (gone !== undefined) {
          Reflect.deleteProperty(poorer, gone);
          rejected(shortened);
        }

        const spoiled = structuredClone(json);
        const [parent, field] = pick(listPlaces(spoiled).numbers);
        parent[field] = bad;
        rejected(spoiled);
        reached.count(response.outcome, `bad number ${String(bad)}`);
      }),
      {
        numRuns: 150,
        examples: [
          ...[NaN, Infinity, '1'].map((bad): [Scenario, number, unknown, string] => [PINNED.answered, 0, bad, 'x']),
          [PINNED.abstained, 1, NaN, 'x'],
        ],
      },
    );
    reached.expectAll('answered', 'abstained', ...['NaN', 'Infinity', '1'].map((bad) => `bad number ${bad}`));
  });

  it('rejects any nested trust state but its own', async () => {
    const reached = new Reached();
    const other = fc.constantFrom<unknown>(
      { state: 'trusted', failure_code: null },
      ...TRUST_FAILURE_CODES.map((code) => ({ state: 'degraded', failure_code: code })),
      { state: 'trusted', failure_code: 'CALIBRATION_STALE' },
      { state: 'degraded', failure_code: null },
      null,
      undefined,
    );
    await fc.assert(
      fc.asyncProperty(scenario, other, async (given, trustState) => {
        const json = structuredClone(reasoningResponseToJson(await play(given)));
        if (json.evidence === null || JSON.stringify(json.trust_state) === JSON.stringify(trustState)) return;
        (json.evidence as Json)['trust_state'] = trustState;
        reached.count(json.outcome);
        expect(() => reasoningResponseFromJson(json)).toThrow(expect.objectContaining({ code: 'REQUEST.INVALID' }));
      }),
      {
        numRuns: 100,
        examples: [PINNED.answered, PINNED.abstained].map((given): [Scenario, unknown] => [given, null]),
      },
    );
    reached.expectAll('answered', 'abstained');
  });
});
