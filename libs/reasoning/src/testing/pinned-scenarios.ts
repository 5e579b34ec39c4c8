import { reason } from '../run/reason.js';
import type { PolicyName } from '../run/reasoning-policy.js';
import type { ReasoningResponse } from '../run/reasoning-response.js';
import {
  makeDegraded,
  makeGraph,
  makeHit,
  makeProposal,
  makeTrusted,
  scriptAnswers,
  scriptExpansion,
  scriptGraph,
  scriptProposals,
  scriptQueries,
  scriptRetriever,
} from './scripted-ports.js';

/** What the ports of a run give, and what is asked of it. */
export interface Scenario {
  query: string;
  retrieval: unknown;
  deeper: unknown;
  queries: unknown;
  graph: unknown;
  proposals: unknown;
  answer: unknown;
  policy: { name: PolicyName; requireCertifiedEvidence: boolean; allowRetrievalExpansion: boolean };
  budget: { maxSteps: number; maxGraphNodes: number; maxEvidenceTokens: number };
}

export const says = (chunkId: string, limit: number) =>
  makeHit(chunkId, { text: `Text of ${chunkId}. The rate limit of the service is ${limit} requests a day.` });
export async function play(given: Scenario): Promise<ReasoningResponse> {
  return reason(
    {
      query: given.query,
      tenantId: 'tenant-a',
      generation: { generationId: 'generation-1' },
      policy: given.policy,
      budget: given.budget,
      providers: {
        retriever: scriptRetriever(given.retrieval),
        graphProvider: scriptGraph(given.graph),
        proposalProvider: scriptProposals(given.proposals),
        answerProvider: scriptAnswers(given.answer),
        expansionProvider: scriptQueries(given.queries),
        expansionRetriever: scriptExpansion(given.deeper, given.deeper),
      },
    },
    { countTokens: (text) => text.length, now: () => 0 },
  );
}

export const DEFAULT_SCENARIO: Scenario = {
  query: 'What is the rate limit?',
  retrieval: makeTrusted([]),
  deeper: [makeTrusted([])],
  queries: { queries: [] },
  graph: makeGraph(['c1']),
  proposals: [],
  answer: { answer: 'Yes.', citations: ['c1'], insufficient_evidence: false },
  policy: { name: 'evidence_assembly', requireCertifiedEvidence: true, allowRetrievalExpansion: false },
  budget: { maxSteps: 12, maxGraphNodes: 32, maxEvidenceTokens: 2048 },
};

/** A run of each kind that a property has to reach: random ones miss a rare kind now and then. */
export const PINNED = {
  answered: pin({}),
  answeredWithProposals: pin({
    retrieval: makeTrusted([says('c1', 1), says('c2', 2)]),
    graph: makeGraph(['c1', 'c2']),
    proposals: [makeProposal('c1', 'c2')],
    policy: policy('proposal_assisted'),
  }),
  answeredAfterExpansion: pin({
    retrieval: makeTrusted([], { abstained: true }),
    queries: { queries: ['limit'] },
    deeper: [makeTrusted([says('c1', 1)])],
    policy: { ...policy('evidence_assembly'), allowRetrievalExpansion: true },
  }),
  answeredWithExcluded: pin({ retrieval: makeTrusted([says('c1', 1), makeHit('c3', { verdict: 'expired' })]) }),
  answeredDegraded: pin({
    retrieval: makeDegraded('CALIBRATION_STALE', [says('c1', 1)]),
    policy: { ...policy('evidence_assembly'), requireCertifiedEvidence: false },
  }),
  abstained: pin({ answer: { answer: 'Who knows.', citations: [], insufficient_evidence: true } }),
  needsClarification: pin({ query: ' ' }),
  needsReview: pin({ graph: null, policy: policy('proposal_assisted') }),
  failedRetriever: pin({ retrieval: null }),
  failedAnswer: pin({ answer: null }),
  failedProposals: pin({ proposals: null, policy: policy('proposal_assisted') }),
} satisfies Record<string, Scenario>;
export const PINNED_SCENARIOS = Object.values(PINNED);

function policy(name: Scenario['policy']['name']): Scenario['policy'] {
  return { name, requireCertifiedEvidence: true, allowRetrievalExpansion: false };
}

function pin(over: Partial<Scenario>): Scenario {
  return { ...DEFAULT_SCENARIO, retrieval: makeTrusted([says('c1', 1)]), ...over };
}
