import { describe, expect, it } from '@jest/globals';
import type { DeclaredRelation, GraphDocument } from '../graph/project-graph.js';
import { createRuleBasedProposalProvider } from '../proposals/propose-conflicts.js';
import { makeDocuments, makeRelations } from '../testing/make-declarations.js';
import {
  envelope,
  makeGraph,
  makeHit,
  makeTrusted,
  scriptAnswers,
  scriptGraph,
  scriptRetriever,
} from '../testing/scripted-ports.js';
import { reasoningResponseFromJson, reasoningResponseToJson } from '../serialization/reasoning-response-json.js';
import { reason } from './reason.js';

const NOW = Date.parse('2026-06-01T00:00:00Z');

/** Two documents that disagree, c2's being the newer, and what is declared of them. */
async function ask(
  relations: Partial<DeclaredRelation>[],
  over: {
    documents?: (Partial<GraphDocument> & { documentId: string })[];
    cite?: string;
    knownAsOf?: string;
    review?: boolean;
    approved?: string[];
  } = {},
) {
  const hits = [
    makeHit('c1', { text: 'The rate limit of the API is 100 requests.' }),
    makeHit('c2', { text: 'The rate limit of the API is 120 requests.' }),
  ];
  const graph = makeGraph(['c1', 'c2'], {
    documents: makeDocuments(over.documents ?? []),
    relations: makeRelations(relations),
    approvedProposalIds: over.approved ?? [],
  });
  const answerProvider = scriptAnswers(envelope(over.cite ?? 'c2'));
  const response = await reason(
    {
      query: 'What is the rate limit?',
      tenantId: 'tenant-a',
      policy: { name: over.review ? 'review_required' : 'proposal_assisted' },
      ...(over.knownAsOf === undefined ? {} : { knownAsOf: over.knownAsOf }),
      providers: {
        retriever: scriptRetriever(makeTrusted(hits, { knownAsOf: over.knownAsOf ?? null })),
        graphProvider: scriptGraph(graph),
        proposalProvider: createRuleBasedProposalProvider(),
        answerProvider,
      },
    },
    { countTokens: (text) => text.length, now: () => NOW },
  );
  return { response, answerProvider };
}

describe('declared relations', () => {
  it('settle a contradiction, and take the replaced side out of the evidence and the prompt', async () => {
    const { response, answerProvider } = await ask([{}]);
    expect(response).toMatchObject({
      outcome: 'answered',
      proposals: [],
      contradictions: [
        {
          left: { chunkId: 'c1', value: '100 requests' },
          right: { chunkId: 'c2', value: '120 requests' },
          settledBy: { by: 'supersedes', relationId: 'r0', prevails: 'right' },
        },
      ],
      evidence: { items: [{ chunkId: 'c2' }], excluded: [{ chunkId: 'c1', reason: 'declared_superseded' }] },
    });
    expect(answerProvider.prompts[0]?.user).not.toContain('100 requests');
  });

  it('keep the replaced side from being cited', async () => {
    const { response } = await ask([{}], { cite: 'c1' });
    expect(response).toMatchObject({ outcome: 'abstained', refusalReason: 'provider_failure' });
  });

  it('leave a contradiction open when nothing is declared, and a person decides under review_required', async () => {
    const open = await ask([]);
    expect(open.response).toMatchObject({
      outcome: 'answered',
      proposals: [{ kind: 'conflicting_value' }],
      contradictions: [{ settledBy: null, proposalId: open.response.proposals[0]?.proposalId }],
    });
    const reviewed = await ask([], { review: true });
    expect(reviewed.response).toMatchObject({ outcome: 'needs_review', refusalReason: 'review_required_policy' });
    expect(reviewed.answerProvider.prompts).toEqual([]);
    const approved = reviewed.response.proposals.map(({ proposalId }) => proposalId);
    const decided = await ask([{ kind: 'conflicts_with', origin: 'reviewed' }], { review: true, approved });
    expect(decided.response).toMatchObject({ outcome: 'answered', contradictions: [{ settledBy: null }] });
  });

  it('ask for review when it can’t be told what replaced the evidence', async () => {
    const { response, answerProvider } = await ask([{ fromDocumentId: 'x' }, { fromDocumentId: 'y' }]);
    expect(response).toMatchObject({ outcome: 'needs_review', refusalReason: 'ambiguous_evidence' });
    expect(answerProvider.prompts).toEqual([]);
  });

  it('make the run abstain with unsupported_evidence when they take everything out', async () => {
    const { response, answerProvider } = await ask([{}, { fromDocumentId: 'x', toDocumentId: 'document-of-c2' }]);
    expect(response).toMatchObject({
      outcome: 'abstained',
      refusalReason: 'unsupported_evidence',
      evidence: { items: [] },
    });
    expect(response.unsupportedGaps).toEqual([
      expect.objectContaining({ kind: 'unretrieved_successor', name: 'x' }),
      expect.objectContaining({ kind: 'no_evidence' }),
    ]);
    expect(answerProvider.prompts).toEqual([]);
  });

  it('are judged at the asked transaction time, else now', async () => {
    const documents = [{ documentId: 'document-of-c1', validUntil: '2026-05-01T00:00:00Z' }];
    const now = await ask([], { documents });
    expect(now.response.evidence?.excluded).toEqual([{ chunkId: 'c1', reason: 'declared_validity' }]);
    const later = [{ documentId: 'document-of-c1', validUntil: '2026-07-01T00:00:00Z' }];
    expect((await ask([], { documents: later })).response.evidence?.excluded).toEqual([]);
    const then = await ask([], { documents, knownAsOf: '2026-04-01T00:00:00Z' });
    expect(then.response.evidence?.excluded).toEqual([]);
  });

  it('settle a contradiction with a passage that retrieval itself called superseded', async () => {
    const hits = [
      makeHit('c2', { text: 'The rate limit of the API is 120 requests.' }),
      makeHit('c1', { text: 'The rate limit of the API is 100 requests.', verdict: 'superseded' }),
      makeHit('c3', { text: 'The rate limit of the API is 90 requests.', verdict: 'low_confidence' }),
    ];
    const relation = { kind: 'supersedes' as const, fromDocumentId: 'document-of-c2', origin: 'declared' as const };
    const graph = makeGraph(['c2'], {
      relations: [
        { ...relation, relationId: 'r0', toDocumentId: 'document-of-c1', declaredAt: null },
        { ...relation, relationId: 'r1', toDocumentId: 'document-of-c3', declaredAt: null },
      ],
    });
    const answerProvider = scriptAnswers(envelope('c2'));
    const askUnder = (name: 'proposal_assisted' | 'evidence_assembly') =>
      reason(
        {
          query: 'What is the rate limit?',
          tenantId: 'tenant-a',
          policy: { name },
          providers: {
            retriever: scriptRetriever(makeTrusted(hits)),
            graphProvider: scriptGraph(graph),
            proposalProvider: createRuleBasedProposalProvider(),
            answerProvider,
          },
        },
        { countTokens: (text) => text.length, now: () => NOW },
      );
    const response = await askUnder('proposal_assisted');
    expect(response).toMatchObject({
      outcome: 'answered',
      contradictions: [
        {
          left: { chunkId: 'c2' },
          right: { chunkId: 'c1' },
          settledBy: { by: 'supersedes', relationId: 'r0', prevails: 'left' },
        },
      ],
      evidence: { items: [{ chunkId: 'c2' }] },
    });
    expect(reasoningResponseFromJson(reasoningResponseToJson(response))).toEqual(response);
    expect(answerProvider.prompts[0]?.user).not.toContain('100 requests');
    // Without a graph nothing says what settles it, so the outdated side isn't shown.
    expect((await askUnder('evidence_assembly')).contradictions).toEqual([]);
  });

  it('are refused where a bound left out what may have replaced the evidence, and the response says so', async () => {
    const askCut = (cut: 'standing' | 'surroundings') =>
      reason(
        {
          query: 'What is the rate limit?',
          tenantId: 'tenant-a',
          policy: { name: 'proposal_assisted' },
          providers: {
            retriever: scriptRetriever(makeTrusted([makeHit('c1')])),
            graphProvider: scriptGraph(makeGraph(['c1'], { cut })),
            answerProvider: scriptAnswers(envelope('c1')),
          },
        },
        { countTokens: (text) => text.length, now: () => NOW },
      );
    const told = {
      unsupportedGaps: [{ kind: 'unfinished_planning', name: 'graph_cut' }],
      trace: {
        steps: expect.arrayContaining([expect.objectContaining({ kind: 'load_graph', stopReason: 'graph_cut' })]),
      },
    };
    expect(await askCut('standing')).toMatchObject({
      outcome: 'abstained',
      refusalReason: 'budget_exhausted',
      ...told,
    });
    expect(await askCut('surroundings')).toMatchObject({ outcome: 'answered', ...told });
  });
});
