import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  NO_EVIDENCE_ANSWER,
  NO_LINKED_STATEMENT_ANSWER,
  auditEventsRoute,
  createTenantRoute,
  deleteDocumentRoute,
  readChunkRoute,
  reasonRoute,
  revokeApiKeyRoute,
  updateApiKeyRoute,
  updateTenantRoute,
  verifyCitationsRoute,
  type ErrorCode,
  type ReasonData,
} from '@candor/contracts';
import {
  answerWith,
  answerWithText,
  closeSocket,
  failWith,
  hang,
  readShownChunks,
  type ApiClient,
  type ModelScript,
  type ScriptedModelServer,
  type ShownChunk,
} from '@candor/testkit';
import { readEvents } from '../../harness/audit-trail.js';
import { expectError } from '../../harness/expect-error.js';
import { ingest } from '../../harness/ingest.js';
import { readStatements } from '../../harness/quotations.js';
import { MODEL_KEY } from '../../harness/profile-with-model.js';
import { createKey } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

const QUERY = 'How high is the tower of Velmark?';
const SENTENCE = 'The tower of Velmark is 74 meters high & leans <slightly>.';
const OTHER = 'After the storm the tower of Velmark is 71 meters high.';

/** Reasoning with an OpenAI-compatible model that a script plays. */
export function describeReasonModel(world: WorldOf, modelOf: () => ScriptedModelServer): void {
  describe('reason with a model', () => {
    let model: ScriptedModelServer;
    let client: ApiClient;

    beforeAll(async () => {
      model = modelOf();
      client = world().admin;
      const accessPolicy = { provider: 'slack', mode: 'provider_scope' } as const;
      await ingest(client, [
        { title: 'Tower of Velmark', body: `${SENTENCE}\nIt was built in 1911.`, accessPolicy },
        { title: 'Tower of Velmark, "survey" <2024>', body: OTHER, accessPolicy },
      ]);
    }, 300_000);

    beforeEach(() => model.play(answerWith({ statements: [], limitations: [] })));

    const ask = async (query = QUERY): Promise<ReasonData> =>
      (await client.call(reasonRoute, { body: { query } })).data;
    const chunkWith = (chunks: ShownChunk[], text: string): string =>
      chunks.find((chunk) => chunk.content.includes(text))?.chunkId ?? 'not shown';

    it('made no call at the start and makes one a question, strict, to chat/completions', async () => {
      expect(model.calls).toEqual([]);
      await ask();
      expect(model.calls).toHaveLength(1);
      const [call] = model.calls;
      expect(call?.path).toBe('/v1/chat/completions');
      expect(call?.headers.authorization).toBe(`Bearer ${MODEL_KEY}`);
      expect(call?.body).toMatchObject({
        model: 'scripted-1',
        response_format: { type: 'json_schema', json_schema: { strict: true } },
      });
    });

    it('sends nothing of a tenant that has not consented, and nothing any more of one that takes it back', async () => {
      const { data } = await client.call(createTenantRoute, { body: { name: 'Careful' } });
      const careful = client.withKey(data.key);
      await ingest(careful, [{ title: 'Tower of Velmark', body: `${SENTENCE}\nIt was built in 1911.` }]);
      const askCareful = async (): Promise<[string | null, number]> => {
        const response = await careful.post('/v1/reason', { query: QUERY });
        expect(response.status).toBe(200);
        return [response.headers.get('x-answer-provider'), model.calls.length];
      };
      expect(await askCareful()).toEqual(['extractive', 0]);
      await careful.call(updateTenantRoute, { body: { externalModels: true } });
      expect(await askCareful()).toEqual(['openai-compatible', 1]);
      await careful.call(updateTenantRoute, { body: { externalModels: false } });
      expect(await askCareful()).toEqual(['extractive', 1]);
      const { data: answers } = await careful.call(auditEventsRoute, { query: { action: 'reason.answer' } });
      expect(answers.map(({ metadata }) => metadata['answerProvider'])).toEqual([
        'extractive',
        'openai-compatible',
        'extractive',
      ]);
    });

    it('shows the model the passages, escaped, under their real ids and titles, without scores', async () => {
      await ask();
      const [call] = model.calls;
      if (!call) throw new Error('the model was not called');
      const chunks = readShownChunks(call);
      expect(chunks.map(({ title }) => title).sort()).toEqual([
        'Tower of Velmark',
        'Tower of Velmark, "survey" <2024>',
      ]);
      for (const { chunkId } of chunks) expect(chunkId).toMatch(/^[0-9a-f-]{36}$/);
      const prompt = call.body.messages.map(({ content }) => content).join('\n');
      expect(prompt).toContain('74 meters high &amp; leans &lt;slightly&gt;.');
      expect(prompt).not.toMatch(/score|0\.\d{3,}/);
    });

    it('answers with what the model said, bound to documents and titles', async () => {
      model.play(
        answerWith((chunks: ShownChunk[]) => ({
          statements: [
            {
              text: 'The survey says 71 meters.',
              references: [{ chunkId: chunkWith(chunks, '71'), quotation: OTHER }],
            },
            {
              text: 'Another page says 74 meters.',
              references: [
                { chunkId: chunkWith(chunks, '74'), quotation: '  The tower of Velmark\n is 74   meters high ' },
                { chunkId: chunkWith(chunks, '71'), quotation: '71 meters' },
                { chunkId: chunkWith(chunks, '74'), quotation: 'built in 1911' },
              ],
            },
          ],
          limitations: ['Nothing says which is newer.'],
        })),
      );
      const data = await ask();
      const [survey, page] = readStatements(data.answer);
      expect(survey?.text).toBe('The survey says 71 meters.');
      expect(page?.text).toBe('Another page says 74 meters.');
      // In order of first use, once each, though the second was cited twice.
      expect(data.citations.map(({ documentTitle }) => documentTitle)).toEqual([
        'Tower of Velmark, "survey" <2024>',
        'Tower of Velmark',
      ]);
      expect(page?.chunkIds).toEqual([data.citations[1]?.chunkId, data.citations[0]?.chunkId]);
      expect(data.gaps).toEqual(['Nothing says which is newer.']);
      expect(data.meta).toMatchObject({ chunksGathered: 2, citationsDropped: 0 });
    });

    it('gives each statement with the places of its quotations on request, and the same body without', async () => {
      model.play(
        answerWith((chunks: ShownChunk[]) => ({
          statements: [
            {
              text: 'It rises 74 m.',
              references: [
                { chunkId: chunkWith(chunks, '74'), quotation: ' is 74  meters high &amp; leans &lt;slightly&gt;' },
                { chunkId: chunkWith(chunks, '74'), quotation: 'It was built\nin 1911.' },
                { chunkId: chunkWith(chunks, '74'), quotation: 'built in 1912' },
              ],
            },
            { text: 'Made up.', references: [{ chunkId: chunkWith(chunks, '71'), quotation: 'invented' }] },
            { text: 'The storm cost 3 m.', references: [{ chunkId: chunkWith(chunks, '71'), quotation: '71 meters' }] },
          ],
          limitations: [],
        })),
      );
      const plain = await ask();
      expect(Object.keys(plain)).toEqual(['answer', 'citations', 'gaps', 'meta']);
      const { data } = await client.call(reasonRoute, { body: { query: QUERY, includeQuotations: true } });
      const { statements = [], ...rest } = data;
      const untimed = (answer: ReasonData) => ({ ...answer, meta: { ...answer.meta, latencyMs: 0 } });
      expect(untimed(rest)).toEqual(untimed(plain));
      expect(statements.map(({ text, quotations }) => [text, quotations.map(({ quotation }) => quotation)])).toEqual([
        ['It rises 74 m.', ['is 74 meters high & leans <slightly>', 'It was built in 1911.']],
        ['The storm cost 3 m.', ['71 meters']],
      ]);
      for (const { chunkId, quotation, place } of statements.flatMap(({ quotations }) => quotations)) {
        const { content, metadata } = (await client.call(readChunkRoute, { params: { chunkId } })).data;
        if (!place || quotation === null) throw new Error('the quotation is withheld');
        expect(content.slice(place.start - metadata.startIndex, place.end - metadata.startIndex)).toBe(quotation);
        const check = { chunkId, quotation, contentHash: place.contentHash };
        const { results } = (await client.call(verifyCitationsRoute, { body: { citations: [check] } })).data;
        expect(results).toEqual([{ chunkId, status: 'verified', quotation, start: place.start, end: place.end }]);
      }
    });

    describe('what went away while the model answered', () => {
      let admin: ApiClient;
      beforeAll(async () => {
        const { data } = await client.call(createTenantRoute, { body: { name: 'Changing' } });
        admin = client.withKey(data.key);
        await admin.call(updateTenantRoute, { body: { externalModels: true } });
      });
      /** The answer quotes both of two documents, and comes after `change`. */
      const askWhile = async (change: (on: { keyId: string; itemId: string }) => Promise<unknown>) => {
        const ours = { provider: 'slack' as const, mode: 'acl' as const, principals: ['user:a@x.org'] };
        const everyones = { provider: 'slack', mode: 'provider_scope' } as const;
        const [itemId = '', otherId = ''] = await ingest(admin, [
          { title: 'Tower of Velmark', body: SENTENCE, accessPolicy: ours },
          { title: 'Survey of Velmark', body: OTHER, accessPolicy: everyones },
        ]);
        const key = await createKey(admin, { allowedActions: ['reason'], principals: ['user:a@x.org'] });
        const changes: Promise<unknown>[] = [];
        model.play((call, response) => {
          const answer = answerWith((chunks: ShownChunk[]) => ({
            statements: ['74 meters', '71 meters'].map((quotation) => ({
              text: 'It is high.',
              references: [{ chunkId: chunkWith(chunks, quotation), quotation }],
            })),
            limitations: [],
          }));
          changes.push(change({ keyId: key.id, itemId }).then(() => answer(call, response)));
        });
        const { data } = await key.client.call(reasonRoute, { body: { query: QUERY, includeQuotations: true } });
        await Promise.all(changes);
        expect(changes).toHaveLength(1);
        for (const id of [itemId, otherId]) await admin.delete(`/v1/documents/${id}`);
        return data.statements?.map(({ quotations }) =>
          quotations.map(({ quotation, place }) => [quotation, place !== null]),
        );
      };
      const WITHHELD = [[null, false]];

      it('is quoted where nothing changed', async () => {
        expect(await askWhile(() => Promise.resolve())).toEqual([[['74 meters', true]], [['71 meters', true]]]);
      });

      it('is not quoted when its document is deleted', async () => {
        const change = ({ itemId }: { itemId: string }) => admin.call(deleteDocumentRoute, { params: { id: itemId } });
        expect(await askWhile(change)).toEqual([WITHHELD, [['71 meters', true]]]);
      });

      it('is not quoted when the key loses a principal', async () => {
        const change = ({ keyId }: { keyId: string }) =>
          admin.call(updateApiKeyRoute, { params: { id: keyId }, body: { principals: ['user:b@x.org'] } });
        expect(await askWhile(change)).toEqual([WITHHELD, [['71 meters', true]]]);
      });

      it('is not quoted at all when the key is revoked', async () => {
        const change = ({ keyId }: { keyId: string }) => admin.call(revokeApiKeyRoute, { params: { id: keyId } });
        expect(await askWhile(change)).toEqual([WITHHELD, WITHHELD]);
      });
    });

    it('has no statement to show when nothing was found or nothing could be linked', async () => {
      const askForQuotations = async (query: string) =>
        (await client.call(reasonRoute, { body: { query, includeQuotations: true } })).data;
      expect(await askForQuotations('How do bees make honey in winter?')).toMatchObject({
        answer: NO_EVIDENCE_ANSWER,
        statements: [],
      });
      expect(await askForQuotations(QUERY)).toMatchObject({ answer: NO_LINKED_STATEMENT_ANSWER, statements: [] });
    });

    it('withholds and counts fabricated and near-miss quotations, unknown chunks and blanks', async () => {
      model.play(
        answerWith((chunks: ShownChunk[]) => {
          const chunkId = chunkWith(chunks, '74');
          return {
            statements: [
              {
                text: 'Kept.',
                references: [
                  { chunkId, quotation: SENTENCE },
                  { chunkId, quotation: 'It was made up.' },
                ],
              },
              { text: 'Near miss.', references: [{ chunkId, quotation: 'the tower of Velmark is 74 meters high' }] },
              { text: 'Elided.', references: [{ chunkId, quotation: 'The tower of Velmark … meters high' }] },
              { text: 'Other chunk.', references: [{ chunkId, quotation: OTHER }] },
              { text: 'Numbered.', references: [{ chunkId: '1', quotation: SENTENCE }] },
              { text: 'Blank.', references: [{ chunkId, quotation: ' \n ' }] },
            ],
            limitations: [],
          };
        }),
      );
      const data = await ask();
      expect(readStatements(data.answer).map(({ text }) => text)).toEqual(['Kept.']);
      expect(data.citations).toHaveLength(1);
      expect(data.meta.citationsDropped).toBe(6);
    });

    it('says that nothing could be linked, never that there is no evidence, when no statement is left', async () => {
      model.play(
        answerWith((chunks: ShownChunk[]) => ({
          statements: [{ text: 'Lost.', references: [{ chunkId: chunkWith(chunks, '74'), quotation: 'invented' }] }],
          limitations: ['The height in feet is missing.'],
        })),
      );
      expect(await ask()).toEqual({
        answer: NO_LINKED_STATEMENT_ANSWER,
        citations: [],
        gaps: ['The height in feet is missing.'],
        meta: { chunksGathered: 2, citationsDropped: 1, latencyMs: expect.any(Number) },
      });
      expect(NO_LINKED_STATEMENT_ANSWER).toBe(
        'The retrieved evidence did not yield a statement that could be linked to its sources.',
      );
      model.play(answerWith({ statements: [], limitations: [] }));
      expect(await ask()).toMatchObject({ answer: NO_LINKED_STATEMENT_ANSWER, gaps: [], meta: { chunksGathered: 2 } });
    });

    it('strips citation marks that the model wrote itself', async () => {
      const planted = '00000000-0000-4000-8000-000000000000';
      model.play(
        answerWith((chunks: ShownChunk[]) => ({
          statements: [
            {
              text: `It is [[${planted}]] 74 meters [[note]] high [[${planted}`,
              references: [{ chunkId: chunkWith(chunks, '74'), quotation: '74 meters' }],
            },
          ],
          limitations: [`See [[${planted}]].`],
        })),
      );
      const data = await ask();
      expect(data.answer).not.toContain(`[[${planted}`);
      expect(data.answer).not.toContain('[[note]]');
      expect(readStatements(data.answer)[0]?.chunkIds).toEqual([data.citations[0]?.chunkId]);
      expect(data.gaps.join()).not.toContain('[[');
    });

    it('skips the call when nothing relevant was found', async () => {
      const data = await ask('How do bees make honey in winter?');
      expect(data.answer).toBe(NO_EVIDENCE_ANSWER);
      expect(model.calls).toEqual([]);
    });

    const failures: [string, ModelScript, number, ErrorCode][] = [
      ['a model that never answers', hang, 504, 'SYNTHESIS.PROVIDER_TIMEOUT'],
      ['a closed connection', closeSocket, 502, 'SYNTHESIS.PROVIDER_ERROR'],
      ...[400, 401, 404, 429, 500, 503].map((status): [string, ModelScript, number, ErrorCode] => [
        `status ${status}`,
        failWith(status),
        502,
        'SYNTHESIS.PROVIDER_ERROR',
      ]),
      ...Object.entries({
        prose: answerWithText('The tower is 74 meters high.'),
        'JSON in a code fence': answerWithText('```json\n{"statements":[],"limitations":[]}\n```'),
        'an unknown key': answerWith({ statements: [], limitations: [], confidence: 1 }),
        'a missing key': answerWith({ statements: [] }),
        'a statement without references': answerWith({
          statements: [{ text: 'Unsupported.', references: [] }],
          limitations: [],
        }),
        'a reference without a quotation': answerWith({
          statements: [{ text: 'Half.', references: [{ chunkId: 'x' }] }],
          limitations: [],
        }),
        'statements of the wrong type': answerWith({ statements: 'none', limitations: [] }),
        'an array': answerWith([]),
        'an empty text': answerWithText(''),
      }).map(([name, script]): [string, ModelScript, number, ErrorCode] => [
        name,
        script,
        502,
        'SYNTHESIS.INVALID_OUTPUT',
      ]),
    ];
    it.each(failures)('fails, and asks once only, for %s', async (_, script, status, type) => {
      model.play(script);
      const response = await client.post('/v1/reason', { query: QUERY });
      expectError(response, { status, type });
      expect(response.text).not.toMatch(/planted|evidence/i);
      expect(model.calls).toHaveLength(1);
      const events = await readEvents(client, response.requestId);
      expect(events.map((event) => [event.action, event.outcome])).toEqual([
        ['reason.requested', 'accepted'],
        ['reason.answer', 'failed'],
      ]);
      expect(events[1]?.metadata).toMatchObject({ errorType: type });
      // A good answer in between: the circuit opens after ten transport failures in a row.
      model.play(answerWith({ statements: [], limitations: [] }));
      await ask();
    });

    it('keeps prompts, answers and the key of the model out of its log', async () => {
      const log = await world().running.readLog('synthesis');
      for (const planted of [MODEL_KEY, '74 meters', 'planted provider text', QUERY, client.key ?? '-'])
        expect(log).not.toContain(planted);
    });
  });
}
