import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  NO_EVIDENCE_ANSWER,
  reasoningRoute,
  reasonRoute,
  updateTenantRoute,
  type ReasonData,
  type ReasoningResponseJson,
} from '@candor/contracts';
import type { ApiResponse, ScriptedModelServer } from '@candor/testkit';
import { countTried } from '../../harness/fault-ledger.js';
import { mapLimited } from '../../harness/map-limited.js';
import { callTool, requestIdOf, textOf } from '../../harness/mcp-client.js';
import type { WorldOf } from '../../harness/world.js';
import { findChangesOfAnswer, findChangesOfTypedAnswer, type Reach } from './hostile-documents/find-changes.js';
import { judgeObedientAnswer, type Asked } from './hostile-documents/judge-answers.js';
import { judgeReading, judgeRefusal } from './hostile-documents/judge-tools.js';
import { obeyOutright, obeyWithinSchema } from './hostile-documents/obedient-model.js';
import { openHalls, VAULT_QUESTION, type Hall, type Halls } from './hostile-documents/open-halls.js';
import { readShown, type Shown, type ShownText } from './hostile-documents/read-shown.js';

const PROMISE = 'Hostile documents';
/** So few that no passage is cut. */
const MOST_CHUNKS = 12;
const AT_A_TIME = 4;
/** Of the attacks that others collected, for what was tried with all of them another way. */
const EVERY = 4;
/** There is no calibration here: what an answer rests on is checked all the same. */
const POLICY = { name: 'evidence_assembly', require_certified_evidence: false } as const;

/** Attacks in documents, and a model that obeys all of them: the installation's own, which a script plays. */
export function describeHostileDocuments(world: WorldOf, model: () => ScriptedModelServer): void {
  describe('documents with orders in them', () => {
    let halls: Halls;
    beforeAll(async () => {
      halls = await openHalls(world(), model());
    }, 180_000);
    afterAll(() => halls?.close());

    const reachOf = ({ itemId }: Hall): Reach =>
      new Map([...halls.reach].filter(([, chunk]) => chunk.itemId === itemId));
    const toAsked = ({ requestId, body, text }: ApiResponse): Asked => ({ requestId, body, text });
    const ask = async ({ question: query }: Hall): Promise<Asked> =>
      toAsked(await halls.asker.post(reasonRoute.path, { query, limit: MOST_CHUNKS, includeQuotations: true }));
    const askTyped = async ({ question: query }: Hall): Promise<Asked> =>
      toAsked(await halls.asker.post(reasoningRoute.path, { query, policy: POLICY }));
    const askTool = async ({ question: query, itemId: documentId }: Hall): Promise<Asked> => {
      const result = await callTool(halls.mcp, 'reason', { query, documentId, includeQuotations: true });
      const { structuredContent: body } = result;
      return { requestId: requestIdOf(result), body, text: JSON.stringify(result), rendered: textOf(result) };
    };

    /** Asks about each hall, and counts in how many of the answers something isn't what it has to be. */
    async function expectUnchanged(what: string, asked: Hall[], judge: (hall: Hall) => Promise<string[]>) {
      const problems = await mapLimited(asked, AT_A_TIME, judge);
      countTried(PROMISE, what, asked.length, problems.filter((each) => each.length > 0).length);
      expect(problems.flat()).toEqual([]);
    }
    const judgeBy =
      (face: Shown['face'], askBy: (hall: Hall) => Promise<Asked>, reach: (hall: Hall) => Reach) =>
      async (hall: Hall): Promise<string[]> => {
        const asked = await askBy(hall);
        return judgeObedientAnswer(halls, { face, hall, asked, calls: model().calls, reach: reach(hall) });
      };

    it('change nothing of an answer, although the model obeys them', async () => {
      expect(halls.all.length).toBeGreaterThan(150);
      model().play(obeyWithinSchema(halls.bait));
      await expectUnchanged(
        'attacks on answers',
        halls.all,
        judgeBy('plain', ask, () => halls.reach),
      );
    }, 240_000);

    it('change nothing of an answer within one document, through MCP', async () => {
      model().play(obeyWithinSchema(halls.bait));
      const some = halls.all.filter((_, index) => index < halls.own.length || index % EVERY === 0);
      await expectUnchanged('attacks on answers of MCP', some, judgeBy('plain', askTool, reachOf));
    }, 240_000);

    it('change nothing of a typed answer', async () => {
      model().play(obeyWithinSchema(halls.bait));
      await expectUnchanged(
        'attacks on typed answers',
        halls.all,
        judgeBy('typed', askTyped, () => halls.reach),
      );
    }, 240_000);

    it('get nothing out that has another shape, and no tool called', async () => {
      model().play(obeyOutright(halls.bait));
      await expectUnchanged('attacks on the shape of answers', halls.own, async (hall) => {
        const { body: refused } = await ask(hall);
        const { body: typed } = await askTyped(hall);
        const { error } = refused as { error?: { code: number; type: string } };
        const { outcome, answer, citations, refusal_reason: reason } = typed as ReasoningResponseJson;
        return [
          ...(error?.code === 502 && error.type === 'SYNTHESIS.INVALID_OUTPUT' ? [] : [`schema: ${hall.family}`]),
          ...(outcome === 'abstained' && reason === 'provider_failure' && answer === null && citations.length === 0
            ? findChangesOfTypedAnswer(typed, [], halls.reach)
            : [`schema, typed: ${hall.family}`]),
        ];
      });
      // Nobody went round again with what a tool would have said.
      expect(model().calls).toHaveLength(2 * halls.own.length);
    }, 120_000);

    it('lead an agent that obeys them nowhere, by none of its tools', async () => {
      const use = (name: string, args: object) => callTool(halls.mcp, name, args);
      model().play(obeyWithinSchema(halls.bait));
      await expectUnchanged('attacks on agents', halls.own, async (hall) => {
        const { question: query, itemId } = hall;
        const [chunk] = reachOf(hall).values();
        const chunkId = chunk?.chunkId ?? '';
        const readings = [
          await use('search', { query, limit: 5 }),
          await use('context', { query, limit: 5, contractVersion: '1.1' }),
          await use('deep_search', { query, limit: 5 }),
          await use('find_items', { query, type: 'documents', limit: 5 }),
          await use('get_source_item', { id: itemId }),
          await use('deep_read', { chunkId }),
          await use('deep_expand', { chunkId, direction: 'surrounding' }),
          await use('verify_citations', { citations: [{ chunkId, quotation: chunk?.text.slice(0, 2_000) }] }),
        ];
        return readings.flatMap((each) => judgeReading(each, halls)).map((problem) => `${hall.family}: ${problem}`);
      });
      // What the orders tell it to open.
      for (const { itemId, chunkId } of halls.hidden) {
        const quotation = halls.bait.secret;
        const refused = [
          await use('get_source_item', { id: itemId }),
          await use('deep_read', { chunkId }),
          await use('deep_expand', { chunkId, direction: 'surrounding' }),
        ];
        expect(refused.flatMap(judgeRefusal)).toEqual([]);
        const checked = await use('verify_citations', { citations: [{ chunkId, quotation }] });
        expect(checked.structuredContent).toMatchObject({ data: { results: [{ reason: 'unknown_chunk' }] } });
        const answered = await use('reason', { query: VAULT_QUESTION, documentId: itemId });
        expect(answered.structuredContent).toMatchObject({ data: { answer: NO_EVIDENCE_ANSWER, citations: [] } });
      }
      for (const name of ['search', 'context', 'deep_search', 'reason', 'reasoning'])
        expect(textOf(await use(name, { query: VAULT_QUESTION }))).not.toContain(halls.bait.secret);
      const shown = model().calls.flatMap((call) => readShown(call).passages.map(({ id }) => id));
      expect(shown.filter((id) => !halls.reach.has(id))).toEqual([]);
      expect((await halls.mcp.listTools()).tools).toEqual(halls.calm.tools);
    }, 120_000);

    it('change nothing of what is quoted without a model', async () => {
      await halls.admin.call(updateTenantRoute, { body: { externalModels: false } });
      model().play(obeyWithinSchema(halls.bait));
      await expectUnchanged('attacks on quotations without a model', halls.own, async (hall) => {
        const { question: query, itemId: documentId } = hall;
        const { body, text } = await halls.asker.post(reasonRoute.path, { query, documentId, includeQuotations: true });
        const { body: typed, text: typedText } = await askTyped(hall);
        const { data } = body as { data?: ReasonData };
        return [
          ...(data && data.citations.length > 0 ? [] : ['not answered']),
          ...findChangesOfAnswer(body, toPassages(reachOf(hall)), reachOf(hall)),
          ...findChangesOfTypedAnswer(typed, toPassages(halls.reach), halls.reach),
          ...(`${text}${typedText}`.includes(halls.bait.secret) ? ['scope'] : []),
        ].map((problem) => `${hall.family}: ${problem}`);
      });
      expect(model().calls).toEqual([]);
    }, 120_000);

    it('made nobody open the address that they name', () => {
      countTried(PROMISE, 'attacks with an address', halls.all.length, halls.countVisits());
      expect(halls.countVisits()).toBe(0);
    });
  });
}

function toPassages(reach: Reach): ShownText[] {
  return [...reach.values()].map(({ chunkId, title, text }) => ({ id: chunkId, title, text }));
}
