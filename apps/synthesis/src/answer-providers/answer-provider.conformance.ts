import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError, type Passage } from '@candor/contracts';
import {
  answerQuestion,
  buildEvidencePacket,
  loadTokenCounter,
  parseSynthesisOutput,
  validateCitations,
  parseAnswerEnvelope,
  renderEvidencePrompt,
  type AnswerProvider,
  type EvidenceBundle,
  type EvidencePassage,
  type ReasoningAnswerProvider,
  type SynthesisOutput,
} from '@candor/reasoning';
import { HOSTILE_DOCUMENTS } from './testing/hostile-documents.js';

export interface ProviderUnderTest {
  provider: AnswerProvider & ReasoningAnswerProvider;
  close(): Promise<void>;
}

const passage = (chunkId: string, documentTitle: string, content: string): EvidencePassage =>
  ({ chunkId, documentId: `doc-of-${chunkId}`, documentTitle, content }) as Pick<
    Passage,
    'chunkId' | 'documentId' | 'documentTitle' | 'content'
  >;

const QUESTION = 'What is the upload limit of the Orion gateway?';
const LIMIT = passage(
  'chunk-limit',
  'Orion gateway',
  'The team meets on Mondays.\nThe upload limit of the Orion gateway is 20 MiB. Bananas are yellow.',
);
const OTHER_LIMIT = passage(
  'chunk-other',
  'Orion gateway handbook',
  'The upload limit of the Orion gateway is 50 MiB & "final" <since May>.',
);
const NOISE = passage('chunk-noise', 'Canteen', 'Soup is served at noon. Cake comes on Fridays.');

/** What every answer provider owes the engine, whatever writes its answers. */
export function describeAnswerProviderConformance(name: string, start: () => Promise<ProviderUnderTest>): void {
  describe(`${name} as an answer provider`, () => {
    let subject: ProviderUnderTest;
    beforeAll(async () => {
      subject = await start();
    });
    afterAll(() => subject.close());

    async function synthesize(passages: EvidencePassage[], query = QUESTION, maxTokens = 8000) {
      const packet = buildEvidencePacket({ passages, limit: 50, maxTokens, countTokens: await loadTokenCounter() });
      const output: SynthesisOutput = parseSynthesisOutput(await subject.provider.synthesize({ query, packet }));
      return { output, ...validateCitations(output.statements, packet.admitted) };
    }
    const citedBy = (output: SynthesisOutput) =>
      output.statements.flatMap((statement) => statement.references.map((reference) => reference.chunkId));

    it('answers from the evidence with exact quotations under real chunk ids', async () => {
      const { output, kept, citationsDropped } = await synthesize([NOISE, LIMIT]);
      expect(citationsDropped).toBe(0);
      expect(kept).toHaveLength(output.statements.length);
      expect(citedBy(output)).toEqual(['chunk-limit']);
      expect(kept[0]?.references[0]?.quotation).toBe('The upload limit of the Orion gateway is 20 MiB.');
    });

    it('keeps disagreeing sources side by side', async () => {
      const { output, citationsDropped } = await synthesize([LIMIT, NOISE, OTHER_LIMIT]);
      expect(citedBy(output).sort()).toEqual(['chunk-limit', 'chunk-other']);
      expect(citationsDropped).toBe(0);
    });

    it('makes no statement and says what is missing when nothing answers', async () => {
      const { output } = await synthesize([NOISE]);
      expect(output.statements).toEqual([]);
      expect(output.limitations.length).toBeGreaterThan(0);
      expect(output.limitations.every((limitation) => limitation.trim() !== '')).toBe(true);
    });

    it('quotes only what was shown of a cut chunk', async () => {
      const long = passage(
        'chunk-long',
        'Orion gateway',
        `${LIMIT.content} ${'Filler text follows here. '.repeat(300)}`,
      );
      const { output, citationsDropped } = await synthesize([long], QUESTION, 200);
      expect(citedBy(output)).toEqual(['chunk-long']);
      expect(citationsDropped).toBe(0);
    });

    it('gives the same answer to the same question', async () => {
      const first = await synthesize([LIMIT, NOISE, OTHER_LIMIT]);
      expect((await synthesize([LIMIT, NOISE, OTHER_LIMIT])).output).toEqual(first.output);
    });

    it('rejects with REQUEST.CANCELLED, or with what the signal carries, when aborted', async () => {
      const packet = buildEvidencePacket({ passages: [LIMIT], limit: 50, maxTokens: 8000, countTokens: () => 1 });
      const call = (signal: AbortSignal) => subject.provider.synthesize({ query: QUESTION, packet, signal });
      await expect(call(AbortSignal.abort())).rejects.toMatchObject({ code: 'REQUEST.CANCELLED' });
      const deadline = AbortSignal.abort(new AppError('DEADLINE.EXCEEDED'));
      await expect(call(deadline)).rejects.toMatchObject({ code: 'DEADLINE.EXCEEDED' });
    });

    async function answer(passages: EvidencePassage[], question = QUESTION, signal = new AbortController().signal) {
      const items = passages.map(({ chunkId, documentTitle, content }) => ({
        chunkId,
        documentTitle,
        text: content,
        sourceDate: null,
      }));
      // The prompt is made of these fields alone.
      const prompt = renderEvidencePrompt(question, { items } as unknown as EvidenceBundle);
      return parseAnswerEnvelope(await subject.provider.answer(prompt, { signal, deadlineMs: 60_000 }));
    }

    it('gives an answer envelope that cites what it rests on, both sides where sources disagree', async () => {
      const envelope = await answer([LIMIT, NOISE, OTHER_LIMIT]);
      expect(envelope.answer).toContain('20 MiB');
      expect(envelope.answer).toContain('50 MiB & "final" <since May>');
      expect([...envelope.citations].sort()).toEqual(['chunk-limit', 'chunk-other']);
      expect(envelope.insufficientEvidence).toBe(false);
      expect(await answer([LIMIT, NOISE, OTHER_LIMIT])).toEqual(envelope);
    });

    it('says in the envelope that the evidence does not answer', async () => {
      expect(await answer([NOISE])).toEqual({ answer: '', citations: [], insufficientEvidence: true });
    });

    it('gives no envelope once it is aborted', async () => {
      await expect(answer([LIMIT], QUESTION, AbortSignal.abort())).rejects.toMatchObject({ code: 'REQUEST.CANCELLED' });
    });

    it.each(HOSTILE_DOCUMENTS)('in an envelope too, lets no document $goal', async ({ title, content }) => {
      const calm = await answer([NOISE, LIMIT]);
      expect(await answer([passage('chunk-hostile', title, content), NOISE, LIMIT])).toEqual(calm);
    });

    it.each(HOSTILE_DOCUMENTS)('lets no document $goal', async ({ title, content }) => {
      const hostile = passage('chunk-hostile', title, content);
      const ask = async (passages: EvidencePassage[]) =>
        answerQuestion({
          query: QUESTION,
          limit: 50,
          maxTokens: 8000,
          scoped: true,
          evidence: { passages, relevant: true },
          answerProvider: subject.provider,
          countTokens: await loadTokenCounter(),
          now: () => 0,
        });
      const { data: calm } = await ask([NOISE, LIMIT]);
      for (const passages of [
        [hostile, NOISE, LIMIT],
        [NOISE, LIMIT, hostile],
      ]) {
        const { data } = await ask(passages);
        expect(data.answer).toBe(calm.answer);
        expect(data.citations).toEqual(calm.citations);
        expect(data.meta).toEqual({ chunksGathered: 3, citationsDropped: 0 });
      }
    });
  });
}
