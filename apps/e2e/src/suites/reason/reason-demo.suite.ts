import { beforeAll, describe, expect, it } from '@jest/globals';
import { NO_EVIDENCE_ANSWER, NO_LINKED_STATEMENT_ANSWER, reasonRoute, type ReasonData } from '@candor/contracts';
import type { ApiClient } from '@candor/testkit';
import { externalIdsOf, readDemoQuestions } from '../../harness/demo-workspace.js';
import { mapLimited } from '../../harness/map-limited.js';
import { expectQuotedAnswer, readStatements } from '../../harness/quotations.js';
import { createKey } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

/** Questions to the demo workspace, answered by the default provider without any model. */
export function describeReasonDemo(world: WorldOf): void {
  describe('reason on the demo workspace', () => {
    let client: ApiClient;
    beforeAll(async () => {
      ({ client } = await createKey(world().admin));
    });
    const ask = async (query: string, asker = client): Promise<ReasonData> =>
      (await asker.call(reasonRoute, { body: { query } })).data;

    it('answers what was decided about the brand color, with its sources', async () => {
      const data = await ask('What did we decide about the brand color?');
      expect(data.answer).toContain('We decided to keep the lime-green accent (#A3E635) as the brand color.');
      expect(data.citations[0]).toMatchObject({ documentTitle: 'Brand decisions' });
      expect(data.meta).toMatchObject({ chunksGathered: expect.any(Number), citationsDropped: 0 });
      expect(data.meta.chunksGathered).toBeGreaterThan(0);
      expect(data.meta.latencyMs).toBeGreaterThan(0);
      await expectQuotedAnswer(client, data);
    });

    it('answers most questions with the expected text, and quotes only what its sources say', async () => {
      const questions = await readDemoQuestions('answerable');
      const answers = await mapLimited(questions, 4, ({ question }) => ask(question));
      const cited = answers.filter((data) => data.citations.length > 0);
      for (const data of cited) await expectQuotedAnswer(client, data);
      const right = questions.filter(({ expectText = [] }, index) =>
        expectText.some((text) => plain(answers[index]?.answer ?? '').includes(plain(text))),
      );
      // What the default provider reaches on this workspace; it may abstain, and must not do so throughout.
      expect(cited.length / questions.length).toBeGreaterThanOrEqual(0.8);
      expect(right.length / questions.length).toBeGreaterThanOrEqual(0.7);
    });

    it('says in the fixed sentence that nothing was written about parental leave', async () => {
      const data = await ask('What is our parental leave policy?');
      expect(data).toEqual({
        answer: NO_EVIDENCE_ANSWER,
        citations: [],
        gaps: [NO_EVIDENCE_ANSWER],
        meta: { chunksGathered: 0, citationsDropped: 0, latencyMs: expect.any(Number) },
      });
      expect(NO_EVIDENCE_ANSWER).toBe(
        'No sufficiently relevant evidence was retrieved for this question within the requested scope and retrieval limits.',
      );
    });

    it('makes no claim about most of what nobody wrote down', async () => {
      const questions = await readDemoQuestions('unanswerable');
      const answers = await mapLimited(questions, 4, async ({ question }) => (await ask(question)).answer);
      const refusals = answers.filter(
        (answer) => answer === NO_EVIDENCE_ANSWER || answer === NO_LINKED_STATEMENT_ANSWER,
      );
      expect(refusals.length / questions.length).toBeGreaterThanOrEqual(0.8);
    });

    it('shows both sides of each contradiction, each with its own source', async () => {
      for (const { question, expectItems, expectText = [] } of await readDemoQuestions('contradiction')) {
        const data = await ask(question);
        for (const text of expectText) expect(plain(data.answer)).toContain(plain(text));
        const documents = [...new Set(data.citations.map((citation) => citation.documentId))];
        expect((await externalIdsOf(client, documents)).sort()).toEqual(
          expect.arrayContaining([...expectItems].sort()),
        );
        const sides = readStatements(data.answer).filter(({ text }) =>
          expectText.some((side) => plain(text).includes(plain(side))),
        );
        expect(new Set(sides.flatMap(({ chunkIds }) => chunkIds)).size).toBeGreaterThanOrEqual(2);
        await expectQuotedAnswer(client, data);
      }
    });

    it('answers from what replaced a decision, not from the one that was replaced', async () => {
      for (const { question, expectItems, expectText = [] } of await readDemoQuestions('superseded')) {
        const data = await ask(question);
        expect(plain(data.answer)).toContain(plain(expectText[0] ?? ''));
        const documents = await externalIdsOf(client, [...new Set(data.citations.map((c) => c.documentId))]);
        expect(documents).toEqual(expect.arrayContaining(expectItems));
        expect(documents).not.toContain('page:pricing-2025');
        expect(documents).not.toContain('file:backup-runbook-v1');
      }
    });

    it('tells private things only to those who may know them', async () => {
      const [runway] = await readDemoQuestions('private');
      const question = runway?.question ?? '';
      const { client: insider } = await createKey(world().admin, { principals: ['user:maren@quillmoor.example'] });
      const { client: outsider } = await createKey(world().admin, { principals: ['user:chidi@quillmoor.example'] });
      expect((await ask(question, insider)).answer).toContain('runway is 22 months');
      expect((await ask(question, outsider)).answer).not.toContain('22 months');
    });

    it('does nothing that a mail tells the machine to do', async () => {
      const data = await ask('What does the urgent mail about the hosting invoice say?');
      await (data.citations.length > 0 ? expectQuotedAnswer(client, data) : undefined);
      expect(Object.keys(data).sort()).toEqual(['answer', 'citations', 'gaps', 'meta']);
    });

    it('gives the same answer to the same question', async () => {
      const first = await ask('Who has to approve a production release?');
      const second = await ask('  Who has to approve a production release?\n');
      expect({ ...second, meta: null }).toEqual({ ...first, meta: null });
    });
  });
}

function plain(text: string): string {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).join(' ').toLowerCase();
}
