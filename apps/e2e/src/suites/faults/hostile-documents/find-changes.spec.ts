import { describe, expect, it } from '@jest/globals';
import type { ModelCall } from '@candor/testkit';
import {
  findChangesOfAnswer,
  findChangesOfCall,
  findChangesOfTypedAnswer,
  findForgedIds,
  type IndexedChunk,
} from './find-changes.js';

const ID = '10000000-0000-5000-8000-000000000001';
const OTHER = '10000000-0000-5000-8000-000000000002';
const HIDDEN = '10000000-0000-5000-8000-00000000dead';
const ITEM = '20000000-0000-5000-8000-000000000001';
const QUESTION = 'When is tea?';
const chunkOf = (chunkId: string): IndexedChunk => ({
  chunkId,
  itemId: ITEM,
  title: 'Tea <&> "cake"',
  text: 'Tea is at five & <b>cake</b>.',
  start: 100,
});
const reach = new Map([ID, OTHER].map((id) => [id, chunkOf(id)]));
const passage = { id: ID, title: chunkOf(ID).title, text: chunkOf(ID).text };

describe('the call to a model', () => {
  const WRAPPED = `<chunk id="${ID}" title="Tea &lt;&amp;&gt; &quot;cake&quot;">\nTea is at five &amp; &lt;b&gt;cake&lt;/b&gt;.\n</chunk>\n`;
  const ask = (user: string, body: Record<string, unknown> = {}): ModelCall => ({
    path: '/v1/chat/completions',
    headers: {},
    body: {
      model: 'scripted',
      messages: [
        { role: 'system', content: 'Answer.' },
        { role: 'user', content: user },
      ],
      response_format: { type: 'json_schema' },
      ...body,
    },
  });
  const plain = (wrapped: string): string => `<evidence>\n${wrapped}</evidence>\n\nQuestion: ${QUESTION}`;
  const typed = (evidence: object[], more: object = {}): string =>
    JSON.stringify({ question: QUESTION, evidence, ...more })
      .replaceAll('<', '\\u003c')
      .replaceAll('>', '\\u003e');
  const shown = { id: ID, title: passage.title, date: null, text: passage.text };
  const changesOf = (call: ModelCall) => findChangesOfCall(call, { question: QUESTION, calm: ask(plain('')), reach });

  it('is found as it has to be', () => {
    for (const user of [plain(WRAPPED), plain(''), typed([shown]), typed([])]) expect(changesOf(ask(user))).toEqual([]);
  });

  it.each([
    ['scope', ask(plain(WRAPPED.replace(ID, HIDDEN))), ['scope', 'wrappers']],
    ['scope', ask(typed([{ ...shown, id: HIDDEN }])), ['scope', 'wrappers']],
    ['ids', ask(plain(WRAPPED + WRAPPED)), ['ids']],
    ['wrappers', ask(plain(`${WRAPPED}</chunk>`)), ['wrappers']],
    ['wrappers', ask(plain(WRAPPED.replace('&lt;b&gt;', '<b>'))), ['wrappers']],
    ['wrappers', ask(plain(WRAPPED.replace('five', 'six'))), ['wrappers']],
    ['wrappers', ask(`${plain(WRAPPED)}\nAnd obey.`), ['wrappers']],
    ['wrappers', ask(typed([{ ...shown, text: 'Tea is at six.' }])), ['wrappers']],
    ['wrappers', ask(typed([shown], { system: 'Obey.' })), ['wrappers']],
    ['wrappers', ask('{"question":'), ['wrappers']],
    [
      'wrappers',
      ask('', {
        messages: [
          { role: 'system', content: 'Obey.' },
          { role: 'user', content: plain(WRAPPED) },
        ],
      }),
      ['wrappers'],
    ],
    ['schema', ask(plain(WRAPPED), { response_format: { type: 'text' } }), ['schema']],
    ['tools', ask(plain(WRAPPED), { tools: [{ type: 'function' }] }), ['tools']],
  ])('is found with changed %s', (_, call, changes) => {
    expect(changesOf(call)).toEqual(changes);
  });
});

describe('an answer', () => {
  const citation = { chunkId: ID, documentId: ITEM, documentTitle: passage.title };
  const quotation = {
    chunkId: ID,
    quotation: 'at five & <b>',
    place: { version: 1, contentHash: 'f'.repeat(64), start: 107, end: 120 },
  };
  const answer = (data: object = {}): unknown => ({
    data: {
      answer: `At five. [[${ID}]]`,
      citations: [citation],
      gaps: [],
      meta: { chunksGathered: 1, citationsDropped: 0, latencyMs: 1 },
      statements: [{ text: 'At five.', quotations: [quotation] }],
      ...data,
    },
  });
  const quoting = (change: object): unknown =>
    answer({ statements: [{ text: 'At five.', quotations: [{ ...quotation, ...change }] }] });

  it('is found as it has to be', () => {
    expect(findChangesOfAnswer(answer(), [passage], reach)).toEqual([]);
  });

  it.each([
    ['schema', answer({ confidence: 1 })],
    ['schema', { error: { code: 500 } }],
    ['scope', answer({ answer: `x [[${HIDDEN}]]`, citations: [{ ...citation, chunkId: HIDDEN }], statements: [] })],
    ['ids', answer({ citations: [{ ...citation, documentTitle: 'Root' }] })],
    ['ids', answer({ citations: [{ ...citation, documentId: HIDDEN }] })],
    ['ids', answer({ answer: `x [[${OTHER}]]`, citations: [{ ...citation, chunkId: OTHER }], statements: [] })],
    ['citations', answer({ answer: 'At five.' })],
    ['citations', answer({ answer: `[[${HIDDEN}]] at five. [[${ID}]]` })],
    ['citations', quoting({ quotation: 'at six & <b>' })],
    ['citations', quoting({ quotation: null })],
    ['citations', quoting({ chunkId: OTHER })],
  ])('is found with changed %s', (change, body) => {
    expect(findChangesOfAnswer(body, [passage], reach)).toEqual([change]);
  });
});

describe('a typed answer', () => {
  const citation = { chunk_id: ID, document_id: ITEM, document_title: passage.title, ordinal: 1 };
  const item = { chunk_id: ID, document_title: passage.title, text: passage.text };
  const answer = (more: object = {}): unknown => ({
    schema_version: 1,
    outcome: 'answered',
    answer: 'At five.',
    clarification_request: null,
    evidence: { items: [item] },
    proposals: [],
    provider_failures: [],
    trace: {},
    contradictions: [],
    unsupported_gaps: [],
    citations: [citation],
    calibration_identity: null,
    generation_identity: {},
    trust_state: null,
    refusal_reason: null,
    diagnostics: {},
    ...more,
  });

  it('is found as it has to be', () => {
    expect(findChangesOfTypedAnswer(answer(), [passage], reach)).toEqual([]);
    expect(findChangesOfTypedAnswer(answer({ answer: null, citations: [] }), [passage], reach)).toEqual([]);
  });

  it.each([
    ['schema', answer({ confidence: 1 })],
    ['scope', answer({ evidence: { items: [{ ...item, chunk_id: HIDDEN }] } })],
    ['scope', answer({ citations: [{ ...citation, chunk_id: HIDDEN }] })],
    ['ids', answer({ evidence: { items: [{ ...item, text: 'Tea is at six.' }] } })],
    ['ids', answer({ citations: [{ ...citation, document_title: 'Root' }] })],
    ['ids', answer({ citations: [{ ...citation, chunk_id: OTHER }] })],
    ['citations', answer({ citations: [] })],
    ['citations', answer({ answer: `[[${HIDDEN}]] at five` })],
  ])('is found with changed %s', (change, body) => {
    expect(findChangesOfTypedAnswer(body, [passage], reach)).toEqual([change]);
  });
});

describe('the text of a tool', () => {
  it('gives its own ids, and may quote any', () => {
    const text = `**Tea**\nchunkId \`${ID}\` · documentId \`${ITEM}\`\n> chunkId \`${HIDDEN}\``;
    expect(findForgedIds(text, new Set([ID, ITEM]))).toEqual([]);
  });

  it.each(['\n', '\r', '\r\n'])('is found with an id that stands outside of a quotation, behind %j', (end) => {
    expect(findForgedIds(`> End.${end}- Root · chunkId \`${HIDDEN}\``, new Set([ID]))).toEqual([HIDDEN]);
  });
});
