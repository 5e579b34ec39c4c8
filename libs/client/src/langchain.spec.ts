import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createCandorClient } from './create-client.js';
import { DegradedResultError } from './errors.js';
import { CandorRetriever, type CandorRetrieverFields } from './langchain.js';
import { ScriptedApi } from './testing/scripted-api.server.js';

const HIT = {
  sourceItemId: 'item',
  title: 'Brand decisions',
  content: 'We keep lime-green.',
  url: null,
  provider: 'notion',
  score: 0.8,
  freshness: null,
  accessPolicy: null,
  chunkId: 'chunk',
  version: 2,
  contentHash: 'hash',
  ranking: { dense: 0.8, lexical: null, fused: 0.8 },
  validity: { validFrom: null, validUntil: null },
};
const NORMAL = { type: 'superseded', provider: 'notion', reason: 'A newer version exists.', count: 1 };
const STALE = { type: 'source_stale', provider: 'slack', reason: 'The last sync failed.', count: null };

describe('the retriever for LangChain', () => {
  let api: ScriptedApi;
  let contract: Record<string, unknown>;
  beforeEach(async () => {
    contract = {
      contract: { version: '1.1', requestId: 'request', issuedAt: '2026-05-30T20:14:00Z', endpoint: '/v1/context' },
      hits: [HIT],
      citations: [],
      exclusions: [NORMAL],
      limitations: [{ code: 'provider_scope_applied', message: 'Only notion.' }],
      retrieval: { strategy: 'hybrid' },
    };
    api = await ScriptedApi.start(() => ({ body: contract }));
  });
  afterEach(() => api.stop());

  const retriever = (fields: Partial<CandorRetrieverFields> = {}) =>
    new CandorRetriever({ client: createCandorClient({ url: api.url, apiKey: 'k' }), ...fields });

  it('gives documents that carry their source, the contract and their trust state', async () => {
    const [document, ...others] = await retriever({ scope: { limit: 3, providers: ['notion'] } }).invoke('brand');
    expect(others).toEqual([]);
    expect(document).toMatchObject({
      id: 'chunk',
      pageContent: 'We keep lime-green.',
      metadata: {
        sourceItemId: 'item',
        citation: 1,
        version: 2,
        contentHash: 'hash',
        trust: { state: 'complete', reasons: [] },
        contract: { requestId: 'request', exclusions: [NORMAL] },
      },
    });
    expect(JSON.parse(api.requests[0]?.body ?? '')).toEqual({
      limit: 3,
      providers: ['notion'],
      query: 'brand',
      contractVersion: '1.1',
    });
  });

  it.each<[string, object]>([
    ['a source that is behind', { exclusions: [NORMAL, STALE] }],
    ['a hit of unknown age', { limitations: [{ code: 'missing_sync_timestamp', message: 'No sync time.' }] }],
  ])('says when a result is degraded, and refuses it in strict mode: %s', async (_what, parts) => {
    Object.assign(contract, parts);
    const [document] = await retriever().invoke('brand');
    expect(document?.metadata).toMatchObject({ trust: { state: 'degraded', reasons: [expect.any(String)] } });
    await expect(retriever({ strict: true }).invoke('brand')).rejects.toBeInstanceOf(DegradedResultError);
  });

  it('hands on what is complete in strict mode, and tells the contract also without a hit', async () => {
    contract['hits'] = [];
    const told: string[] = [];
    const onContract = ({ contract: { requestId } }: { contract: { requestId: string } }) => told.push(requestId);
    await expect(retriever({ strict: true, onContract }).invoke('brand')).resolves.toEqual([]);
    expect(told).toEqual(['request']);
  });
});
