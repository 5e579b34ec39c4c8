import { describe, expect, it, jest } from '@jest/globals';
import {
  AppError,
  NO_EVIDENCE_ANSWER,
  NO_LINKED_STATEMENT_ANSWER,
  auditFactsSchema,
  reasonDataSchema,
  type AuditFacts,
} from '@candor/contracts';
import type { AnswerProvider, SynthesisRequest } from './answer-provider.port.js';
import { answerQuestion, type AnswerQuestionInput } from './answer-question.js';
import type { EvidencePassage } from './build-evidence-packet.js';

const passage = (chunkId: string, content: string): EvidencePassage =>
  ({ chunkId, documentId: `doc-of-${chunkId}`, documentTitle: `Title of ${chunkId}`, content }) as EvidencePassage;

const PASSAGES = [
  passage('c1', 'REST is required by the gateway team.'),
  passage('c2', 'GraphQL is required by the app team.'),
];
const OUTPUT = {
  statements: [
    { text: 'The app team requires GraphQL.', references: [{ chunkId: 'c2', quotation: 'GraphQL is required' }] },
    { text: 'The gateway team requires REST.', references: [{ chunkId: 'c1', quotation: 'REST is required' }] },
  ],
  limitations: ['Which team decides is not stated.'],
};

function makeProvider(answer: () => Promise<string | object>) {
  const synthesize = jest.fn<(request: SynthesisRequest) => Promise<string | object>>(answer);
  return { name: 'scripted', synthesize } satisfies AnswerProvider;
}

function run(over: Partial<AnswerQuestionInput> & { answerProvider: AnswerProvider }) {
  let time = 0;
  return answerQuestion({
    query: 'Which interface is required?',
    limit: 50,
    maxTokens: 8000,
    scoped: false,
    evidence: { passages: PASSAGES, relevant: true },
    countTokens: (text) => Math.ceil(text.length / 4),
    now: () => (time += 5),
    ...over,
  });
}

describe('answerQuestion', () => {
  it('keeps disagreeing statements side by side and binds their sources', async () => {
    const { data } = await run({ answerProvider: makeProvider(async () => JSON.stringify(OUTPUT)) });
    expect(data).toEqual({
      answer: 'The app team requires GraphQL. [[c2]]\n\nThe gateway team requires REST. [[c1]]',
      citations: [
        { chunkId: 'c2', documentId: 'doc-of-c2', documentTitle: 'Title of c2' },
        { chunkId: 'c1', documentId: 'doc-of-c1', documentTitle: 'Title of c1' },
      ],
      gaps: ['Which team decides is not stated.'],
      meta: { chunksGathered: 2, citationsDropped: 0 },
    });
    expect(reasonDataSchema.safeParse({ ...data, meta: { ...data.meta, latencyMs: 1 } }).success).toBe(true);
  });

  it('shows the provider the packet and nothing else, scores neither', async () => {
    const answerProvider = makeProvider(async () => OUTPUT);
    const scored = PASSAGES.map((each) => ({ ...each, score: 0.87654 }));
    await run({ answerProvider, evidence: { passages: scored, relevant: true } });
    const [request] = answerProvider.synthesize.mock.calls[0] ?? [];
    expect(Object.keys(request ?? {}).sort()).toEqual(['packet', 'query']);
    expect(JSON.stringify(request)).not.toContain('0.87654');
    expect(request?.packet.text).toContain('<chunk id="c1"');
  });

  describe('skips synthesis', () => {
    const skips: Array<[string, Partial<AnswerQuestionInput>, string]> = [
      ['without evidence', { evidence: { passages: [], relevant: false } }, 'no_evidence'],
      ['without evidence in a scope', { evidence: { passages: [], relevant: false }, scoped: true }, 'no_evidence'],
      ['for weak unscoped evidence', { evidence: { passages: PASSAGES, relevant: false } }, 'below_relevance_guard'],
      ['for an empty packet', { maxTokens: 0 }, 'empty_packet'],
      ['for an empty packet in a scope', { maxTokens: 0, scoped: true }, 'empty_packet'],
    ];
    it.each(skips)('%s', async (_, over, skipped) => {
      const answerProvider = makeProvider(async () => OUTPUT);
      const { data, facts } = await run({ ...over, answerProvider });
      expect(answerProvider.synthesize).not.toHaveBeenCalled();
      expect(data).toEqual({
        answer: NO_EVIDENCE_ANSWER,
        citations: [],
        gaps: [NO_EVIDENCE_ANSWER],
        meta: { chunksGathered: 0, citationsDropped: 0 },
      });
      expect(facts).toMatchObject({ skipped, chunksGathered: 0 });
    });
  });

  it('goes on with weak evidence from a named scope', async () => {
    const answerProvider = makeProvider(async () => OUTPUT);
    const { data } = await run({ answerProvider, scoped: true, evidence: { passages: PASSAGES, relevant: false } });
    expect(answerProvider.synthesize).toHaveBeenCalledTimes(1);
    expect(data.citations).toHaveLength(2);
  });

  it.each([
    'SYNTHESIS.PROVIDER_ERROR',
    'SYNTHESIS.PROVIDER_TIMEOUT',
    'SYNTHESIS.CIRCUIT_OPEN',
    'REQUEST.CANCELLED',
  ] as const)('fails with the provider, in one call and without retries: %s', async (code) => {
    const answerProvider = makeProvider(async () => {
      throw new AppError(code);
    });
    await expect(run({ answerProvider })).rejects.toMatchObject({ code });
    expect(answerProvider.synthesize).toHaveBeenCalledTimes(1);
  });

  it('fails with SYNTHESIS.INVALID_OUTPUT in one call for output off the contract', async () => {
    const answerProvider = makeProvider(async () => JSON.stringify({ ...OUTPUT, confidence: 1 }));
    await expect(run({ answerProvider })).rejects.toMatchObject({ code: 'SYNTHESIS.INVALID_OUTPUT' });
    expect(answerProvider.synthesize).toHaveBeenCalledTimes(1);
  });

  it('turns an unforeseen provider failure into INTERNAL.UNEXPECTED', async () => {
    const answerProvider = makeProvider(async () => {
      throw new Error('socket text');
    });
    await expect(run({ answerProvider })).rejects.toMatchObject({ code: 'INTERNAL.UNEXPECTED' });
  });

  it('says that nothing could be linked when every reference is withheld', async () => {
    const fabricated = {
      statements: [{ text: 'SOAP is required.', references: [{ chunkId: 'c1', quotation: 'SOAP is required' }] }],
      limitations: ['No decision is recorded.'],
    };
    const { data } = await run({ answerProvider: makeProvider(async () => fabricated) });
    expect(data).toEqual({
      answer: NO_LINKED_STATEMENT_ANSWER,
      citations: [],
      gaps: ['No decision is recorded.'],
      meta: { chunksGathered: 2, citationsDropped: 1 },
    });
  });

  it('says the same when the provider returned no statement', async () => {
    const { data } = await run({ answerProvider: makeProvider(async () => ({ statements: [], limitations: [] })) });
    expect(data.answer).toBe(NO_LINKED_STATEMENT_ANSWER);
    expect(data.gaps).toEqual([]);
    expect(data.meta.chunksGathered).toBe(2);
  });

  it('records what limits and budgets excluded as facts, not as gaps', async () => {
    const { data, facts } = await run({
      answerProvider: makeProvider(async () => ({ ...OUTPUT, limitations: [] })),
      limit: 1,
    });
    expect(facts).toMatchObject({ passagesRetrieved: 2, chunksGathered: 1, excludedByLimit: 1, excludedByTokens: 0 });
    expect(data.gaps).toEqual([]);
    expect(data.meta).toEqual({ chunksGathered: 1, citationsDropped: 1 });
  });

  it('records ids, counts, digests and timings, and no content', async () => {
    const { facts } = await run({ answerProvider: makeProvider(async () => OUTPUT) });
    expect(auditFactsSchema.parse(facts)).toMatchObject({
      answerProvider: 'scripted',
      admittedChunkIds: ['c1', 'c2'],
      citedChunkIds: ['c2', 'c1'],
      citedDocumentIds: ['doc-of-c2', 'doc-of-c1'],
      statementsReturned: 2,
      statementsKept: 2,
      citationsDropped: 0,
      synthesisMs: 5,
      queryDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
      packetDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
      answerDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(JSON.stringify(facts)).not.toMatch(/REST|GraphQL|interface|Title of/);
  });

  it('leaves the facts of a failed run with its caller', async () => {
    const recorded: AuditFacts = {};
    const failing = run({
      answerProvider: makeProvider(async () => {
        throw new AppError('SYNTHESIS.PROVIDER_ERROR');
      }),
      recordFacts: (facts) => Object.assign(recorded, facts),
    });
    await expect(failing).rejects.toMatchObject({ code: 'SYNTHESIS.PROVIDER_ERROR' });
    expect(recorded).toMatchObject({ admittedChunkIds: ['c1', 'c2'], synthesisMs: 5 });
  });

  it('passes the signal on', async () => {
    const answerProvider = makeProvider(async () => OUTPUT);
    const { signal } = new AbortController();
    await run({ answerProvider, signal });
    expect(answerProvider.synthesize.mock.calls[0]?.[0].signal).toBe(signal);
  });
});
