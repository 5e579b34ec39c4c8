import { describe, expect, it } from '@jest/globals';
import { reasoningResponseFromJson, reasoningResponseToJson } from '../serialization/reasoning-response-json.js';
import { envelope, makeHit, makeTrusted, scriptAnswers, scriptRetriever } from '../testing/scripted-ports.js';
import { reason } from './reason.js';

const countTokens = (text: string): number => Math.ceil(text.length / 4);

describe('reason', () => {
  it('answers from trusted evidence and cites it', async () => {
    const response = await reason(
      {
        query: 'Which interface is required?',
        tenantId: 'tenant-a',
        providers: {
          retriever: scriptRetriever(makeTrusted([makeHit('c1'), makeHit('c2', { verdict: 'superseded' })])),
          answerProvider: scriptAnswers(envelope('c1')),
        },
      },
      { countTokens },
    );
    expect(response).toMatchObject({
      outcome: 'answered',
      answer: 'REST is required.',
      citations: [{ chunkId: 'c1', documentId: 'document-of-c1', ordinal: 1 }],
      evidence: { items: [{ chunkId: 'c1' }], excluded: [{ chunkId: 'c2', reason: 'superseded' }] },
      trustState: { state: 'trusted' },
    });
    expect(reasoningResponseFromJson(JSON.parse(JSON.stringify(reasoningResponseToJson(response))))).toEqual(response);
  });
});
