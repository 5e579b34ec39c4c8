import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  AppError,
  NO_EVIDENCE_ANSWER,
  answerQuestionJob,
  evidenceSchema,
  reasoningReplySchema,
  type AnswerQuestionPayload,
  type ErrorCode,
  type Evidence,
  type RetrievalClient,
} from '@candor/contracts';
import type { AnswerProvider, SynthesisRequest } from '@candor/reasoning';
import { AnswerQuestionService } from './answer-question.service.js';

const NOW = Date.parse('2026-01-01T12:00:00.000Z');
const DOCUMENT = '11111111-1111-4111-8111-111111111111';
const COLLECTION = '22222222-2222-4222-8222-222222222222';
const CHUNK = '33333333-3333-4333-8333-333333333333';

const payload = (over: Record<string, unknown> = {}): AnswerQuestionPayload =>
  answerQuestionJob.payload.parse({
    tenantId: '44444444-4444-4444-8444-444444444444',
    requestId: '55555555-5555-4555-8555-555555555555',
    runId: '66666666-6666-4666-8666-666666666666',
    callerToken: 'signed-scope',
    replyTo: 'replies-1',
    deadline: new Date(NOW + 30_000).toISOString(),
    query: 'What is the limit?',
    limit: 12,
    maxTokens: 8000,
    ...over,
  });
const evidence = (over: Partial<Evidence> = {}): Evidence =>
  evidenceSchema.parse({
    passages: [
      {
        chunkId: CHUNK,
        score: 0.81,
        level: 'paragraph',
        documentTitle: 'Limits',
        documentId: DOCUMENT,
        content: 'The limit is 20 MiB.',
        parentId: null,
        siblingIds: { prev: null, next: null },
      },
    ],
    bestScore: 0.81,
    relevant: true,
    ...over,
  });

/** The retrieval port, scripted; one method serves all three call types that the tests look at. */
class ScriptedRetrieval {
  readonly calls: Array<
    [method: string, call: unknown, request: unknown, options: { deadline: Date; signal?: AbortSignal }]
  > = [];
  reply: (signal: AbortSignal | undefined) => Promise<Evidence> = async () => evidence();

  readonly client = {
    call: async (
      method: string,
      call: unknown,
      request: unknown,
      options: { deadline: Date; signal?: AbortSignal },
    ) => {
      this.calls.push([method, call, request, options]);
      return { result: await this.reply(options.signal), facts: { generationId: 'g1' } };
    },
  } as unknown as RetrievalClient;
}

describe('AnswerQuestionService', () => {
  const OUTPUT = {
    statements: [{ text: 'It is 20 MiB.', references: [{ chunkId: CHUNK, quotation: 'The limit is 20 MiB.' }] }],
    limitations: [],
  };
  let retrieval: ScriptedRetrieval;
  let synthesize: jest.Mock<AnswerProvider['synthesize']>;
  let reported: string[];
  let time: number;
  let service: AnswerQuestionService;

  beforeEach(() => {
    retrieval = new ScriptedRetrieval();
    synthesize = jest.fn<AnswerProvider['synthesize']>(async () => OUTPUT);
    reported = [];
    time = NOW;
    service = new AnswerQuestionService({
      retrieval: retrieval.client,
      providerFor: () => ({ name: 'scripted', synthesize }),
      countTokens: (text) => Math.ceil(text.length / 4),
      now: () => (time += 7),
      reportError: (error, requestId) => reported.push(`${requestId} ${error.code}`),
    });
  });

  it('answers with bound citations, latency and facts, in the shape of the reply contract', async () => {
    const reply = reasoningReplySchema.parse(await service.answer(payload()));
    expect(reply).toEqual({
      ok: true,
      requestId: payload().requestId,
      data: {
        answer: `It is 20 MiB. [[${CHUNK}]]`,
        citations: [{ chunkId: CHUNK, documentId: DOCUMENT, documentTitle: 'Limits' }],
        gaps: [],
        meta: { chunksGathered: 1, citationsDropped: 0, latencyMs: expect.any(Number) },
      },
      facts: expect.objectContaining({
        answerProvider: 'scripted',
        admittedChunkIds: [CHUNK],
        bestScore: 0.81,
        retrieval: { generationId: 'g1' },
        retrievalMs: expect.any(Number),
        synthesisMs: expect.any(Number),
      }),
    });
    expect(reply.ok && reply.data.meta.latencyMs).toBeGreaterThan(0);
    expect(JSON.stringify(reply.facts)).not.toMatch(/20 MiB|limit\?|signed-scope/);
    expect(reported).toEqual([]);
  });

  it('asks retrieval once, for the same query and scope, as the same caller, within the deadline', async () => {
    await service.answer(payload({ documentId: DOCUMENT, collectionId: COLLECTION }));
    expect(retrieval.calls).toEqual([
      [
        'findPassages',
        { requestId: payload().requestId, callerToken: 'signed-scope' },
        { query: 'What is the limit?', limit: 12, documentId: DOCUMENT, collectionId: COLLECTION },
        { deadline: new Date(payload().deadline), signal: expect.any(AbortSignal) },
      ],
    ]);
  });

  it('sends no scope field that the caller omitted', async () => {
    await service.answer(payload());
    expect(retrieval.calls[0]?.[2]).toEqual({ query: 'What is the limit?', limit: 12 });
  });

  it.each([
    ['a document', { documentId: DOCUMENT }, true],
    ['a collection', { collectionId: COLLECTION }, true],
    ['both', { documentId: DOCUMENT, collectionId: COLLECTION }, true],
    ['neither', {}, false],
  ])('lets weak evidence pass when scoped: %s', async (_, scope, passes) => {
    retrieval.reply = async () => evidence({ relevant: false });
    const reply = await service.answer(payload(scope));
    expect(synthesize).toHaveBeenCalledTimes(passes ? 1 : 0);
    expect(reply.ok && reply.data.answer === NO_EVIDENCE_ANSWER).toBe(!passes);
  });

  it('gives the no-evidence answer, not a 404, for a scope that is absent or out of reach', async () => {
    retrieval.reply = async () => {
      throw new AppError('RESOURCE.NOT_FOUND');
    };
    const reply = await service.answer(payload({ documentId: DOCUMENT }));
    expect(reply).toMatchObject({ ok: true, data: { answer: NO_EVIDENCE_ANSWER, meta: { chunksGathered: 0 } } });
    expect(retrieval.calls).toHaveLength(1);
    expect(synthesize).not.toHaveBeenCalled();
  });

  it.each<ErrorCode>([
    'DEPENDENCY.INDEX_UNAVAILABLE',
    'DEPENDENCY.RETRIEVAL_UNAVAILABLE',
    'AUTH.INVALID_KEY',
    'RESOURCE.NOT_FOUND',
  ])('fails with retrieval, unscoped, and never says that evidence is missing: %s', async (code) => {
    retrieval.reply = async () => {
      throw new AppError(code);
    };
    expect(await service.answer(payload())).toMatchObject({ ok: false, error: { code } });
    expect(reported).toEqual([`${payload().requestId} ${code}`]);
  });

  it.each<ErrorCode>([
    'SYNTHESIS.PROVIDER_ERROR',
    'SYNTHESIS.PROVIDER_TIMEOUT',
    'SYNTHESIS.INVALID_OUTPUT',
    'SYNTHESIS.CIRCUIT_OPEN',
  ])('fails with the provider after one call, with the facts so far: %s', async (code) => {
    synthesize.mockRejectedValue(new AppError(code));
    const reply = reasoningReplySchema.parse(await service.answer(payload()));
    expect(reply).toMatchObject({ ok: false, error: { code }, facts: { admittedChunkIds: [CHUNK] } });
    expect(synthesize).toHaveBeenCalledTimes(1);
  });

  it('keeps an unforeseen failure’s text out of the reply', async () => {
    synthesize.mockRejectedValue(new Error('planted text'));
    const reply = await service.answer(payload());
    expect(reply).toMatchObject({ ok: false, error: { code: 'INTERNAL.UNEXPECTED' } });
    expect(JSON.stringify(reply)).not.toContain('planted');
  });

  it('drops a job whose deadline has passed, unrun', async () => {
    const reply = await service.answer(payload({ deadline: new Date(NOW).toISOString() }));
    expect(reply).toMatchObject({ ok: false, error: { code: 'JOB.DEADLINE_PASSED' } });
    expect(retrieval.calls).toHaveLength(0);
    expect(synthesize).not.toHaveBeenCalled();
  });

  const untilAborted = (signal: AbortSignal | undefined) =>
    new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))));

  it('ends at the deadline while retrieval is still running', async () => {
    retrieval.reply = untilAborted;
    const reply = await service.answer(payload({ deadline: new Date(NOW + 60).toISOString() }));
    expect(reply).toMatchObject({ ok: false, error: { code: 'DEADLINE.EXCEEDED' } });
    expect(synthesize).not.toHaveBeenCalled();
  });

  it('ends when the caller hangs up, and tells the provider', async () => {
    const controller = new AbortController();
    synthesize.mockImplementation(({ signal }: SynthesisRequest) => {
      setImmediate(() => controller.abort());
      return untilAborted(signal);
    });
    const reply = await service.answer(payload(), controller.signal);
    expect(reply).toMatchObject({ ok: false, error: { code: 'REQUEST.CANCELLED' } });
    expect(synthesize.mock.calls[0]?.[0].signal?.aborted).toBe(true);
  });

  it('starts nothing for a caller that hung up already', async () => {
    const reply = await service.answer(payload(), AbortSignal.abort());
    expect(reply).toMatchObject({ ok: false, error: { code: 'REQUEST.CANCELLED' } });
    expect(retrieval.calls).toHaveLength(0);
  });

  it('runs under a deadline that is further away than a timer reaches', async () => {
    retrieval.reply = async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return evidence();
    };
    expect((await service.answer(payload({ deadline: '2099-01-01T00:00:00.000Z' }))).ok).toBe(true);
  });

  it('refuses a payload whose scope is no id, naming the field only', async () => {
    const reply = await service.answer(payload({ documentId: 'planted' }));
    expect(reply).toMatchObject({
      ok: false,
      error: { code: 'JOB.INVALID_PAYLOAD', details: { fields: ['documentId'] } },
    });
    expect(JSON.stringify(reply)).not.toContain('planted');
  });
});
