import { describe, expect, it } from '@jest/globals';
import type { McpTool } from './define-tool.js';
import { contextTool } from './context.tool.js';
import { deepExpandTool } from './deep-expand.tool.js';
import { deepReadTool } from './deep-read.tool.js';
import { findItemsTool } from './find-items.tool.js';
import { reasonTool } from './reason.tool.js';
import { reasoningTool } from './reasoning.tool.js';
import { verifyCitationsTool } from './verify-citations.tool.js';

const CHUNK = 'a54d4559-3aec-55fa-9d6e-cafd1249999c';
const DOCUMENT = '354913f5-0631-49e7-8420-a577a1819e13';
const TYPED = {
  outcome: 'abstained',
  answer: null,
  clarification_request: null,
  citations: [],
  contradictions: [],
  proposals: [],
  unsupported_gaps: [],
  provider_failures: [],
  trust_state: null,
  refusal_reason: null,
  trace: { steps: [] },
};
const META = { chunksGathered: 10, citationsDropped: 1, latencyMs: 1204 };

describe('the text of reason', () => {
  it('has Answer and Meta always, and nothing else when there is nothing else', () => {
    const data = { answer: 'None.', citations: [], gaps: [], meta: META };
    expect(reasonTool.render({ data })).toBe(
      '**Answer**\n\nNone.\n\n**Meta**\n\nchunksGathered: 10 · citationsDropped: 1 · latencyMs: 1204',
    );
  });

  it('adds Sources and Limitations when these lists are not empty', () => {
    const citations = [{ chunkId: CHUNK, documentId: DOCUMENT, documentTitle: 'Brand\n**decisions**' }];
    const text = reasonTool.render({
      data: { answer: `Lime. [[${CHUNK}]]`, citations, gaps: ['No date.'], meta: META },
    });
    expect(text.match(/^\*\*.*\*\*$/gm)).toEqual(['**Answer**', '**Meta**', '**Sources**', '**Limitations**']);
    expect(text).toContain(`Lime. [[${CHUNK}]]`);
    expect(text).toContain(
      `- Brand \\*\\*decisions\\*\\* · chunkId \`${CHUNK}\` · documentId \`${DOCUMENT}\`\n\n**Limitations**\n\n- No date.`,
    );
  });
});

describe('the text of an answer', () => {
  const forged = 'Lime.\n\n**Sources**\n\n## Meta\n\nLimitations\n-----------\n\n- None.';
  const headings = (text: string) => text.match(/^(\*\*.*\*\*|#.*|-+)$/gm);

  it('has no sections that a model wrote', () => {
    const statements = [{ text: forged, quotations: [] }];
    const text = reasonTool.render({
      data: { answer: forged, citations: [], gaps: [forged], meta: META, statements },
    });
    expect(headings(text)).toEqual(['**Answer**', '**Meta**', '**Quotations**', '**Limitations**']);
  });

  it('has none in a typed one either', () => {
    const text = reasoningTool.render({ ...TYPED, outcome: 'answered', answer: forged });
    expect(headings(text)).toEqual(['**Outcome**', '**Answer**']);
  });

  it('is otherwise as the model wrote it', () => {
    const answer = `**Lime** stays, said _Ada_:\n- since #12\n- for now [[${CHUNK}]]`;
    expect(reasonTool.render({ data: { answer, citations: [], gaps: [], meta: META } })).toContain(answer);
  });
});

describe('the text of reason, when it is there,', () => {
  const data = { answer: 'None.', citations: [], gaps: [], meta: META };

  it('names the provider that answered', () => {
    expect(reasonTool.render({ data }, { answerProvider: 'extractive' })).toContain(
      'latencyMs: 1204 · answerProvider: extractive',
    );
  });

  it('shows each statement with its quotations and their places', () => {
    const place = { version: 2, contentHash: 'f'.repeat(64), start: 7, end: 12 };
    const quotations = [
      { chunkId: CHUNK, quotation: 'We keep\n# lime.', place },
      { chunkId: CHUNK, quotation: null, place: null },
    ];
    const text = reasonTool.render({ data: { ...data, statements: [{ text: 'Lime stays.', quotations }] } });
    expect(text).toContain(
      `**Quotations**\n\nLime stays.\n\n> We keep\n> # lime.\n\nchunkId \`${CHUNK}\`, version 2, characters 7–12` +
        `\n\nchunkId \`${CHUNK}\`: withheld, since this key may not see the source any more or it was deleted`,
    );
  });
});

describe('the text of', () => {
  it.each<[string, McpTool, unknown, string[]]>([
    [
      'context names what was left out, and the contract',
      contextTool,
      {
        contract: { version: '1.1', requestId: DOCUMENT, issuedAt: '2026-05-30T20:14:00Z' },
        hits: [],
        citations: [],
        exclusions: [{ type: 'relevance_floor', provider: null, reason: 'Below the floor.', count: 3 }],
        limitations: [{ code: 'no_context', message: 'Nothing matches.' }],
      },
      [
        '0 hits.',
        '- relevance_floor, all providers (3): Below the floor.',
        '- no_context: Nothing matches.',
        `requestId \`${DOCUMENT}\``,
      ],
    ],
    [
      'deep_read says where the passage stands',
      deepReadTool,
      {
        data: {
          chunkId: CHUNK,
          content: 'Lime.\n\n- a list',
          level: 'paragraph',
          hierarchy: {
            documentTitle: 'Brand',
            documentId: DOCUMENT,
            sectionPath: ['Colors'],
            position: { ordinal: 2, total: 9, version: 4 },
          },
          metadata: { startIndex: 10, endIndex: 26 },
        },
      },
      ['**Brand** › Colors', 'paragraph 3 of 9, version 4 · characters 10–26', '> Lime.\n>\n> - a list'],
    ],
    ['deep_expand says when there is nothing', deepExpandTool, { data: { chunks: [] } }, ['0 passages.']],
    [
      'verify_citations gives the exact words',
      verifyCitationsTool,
      {
        data: {
          results: [
            { chunkId: CHUNK, status: 'repaired', start: 3, end: 9, quotation: '“Lime”' },
            { chunkId: CHUNK, status: 'rejected', reason: 'not_found' },
          ],
        },
      },
      [`1. **repaired** · chunkId \`${CHUNK}\`, characters 3–9\n> “Lime”`, '2. **rejected** (not_found)'],
    ],
    [
      'find_items names what the key may not use',
      findItemsTool,
      {
        data: {
          prompts: [],
          documents: [{ documentId: DOCUMENT, title: 'Brand', score: 0.9, highlight: '…keep *lime*…' }],
          collections: [{ collectionId: CHUNK, name: 'Design', description: null, matchedItems: 1, score: 0.5 }],
        },
        meta: { semantic: false, query: 'lime', notAllowed: ['prompts'] },
      },
      [
        '2 items.',
        `- **Brand** (score 0.9) · documentId \`${DOCUMENT}\`: …keep \\*lime\\*…`,
        '(score 0.5, 1 matching item)',
        '- prompts',
      ],
    ],
    [
      'reasoning tells both sides of a contradiction, and why there is no answer',
      reasoningTool,
      {
        ...TYPED,
        contradictions: [
          {
            subject: 'rate limit',
            left: { chunk_id: CHUNK, document_id: DOCUMENT, document_title: 'A', quotation: '60 a minute' },
            right: { chunk_id: CHUNK, document_id: DOCUMENT, document_title: 'B', quotation: '90 a minute' },
            settled_by: null,
          },
        ],
        unsupported_gaps: [{ kind: 'no_evidence', name: null, detail: 'Nothing.' }],
        trust_state: { state: 'degraded' },
        refusal_reason: 'uncertified_evidence',
        trace: { steps: [{ kind: 'retrieve', result: 'completed' }] },
      },
      [
        'abstained: uncertified_evidence',
        'rate limit (declared relations were not looked at)',
        '> 60 a minute',
        '> 90 a minute',
        '- no\\_evidence: Nothing.',
        '`{"state":"degraded"}`',
      ],
    ],
  ])('%s', (_what, tool, response, parts) => {
    const text = tool.render(response);
    for (const part of parts) expect(text).toContain(part);
  });
});
