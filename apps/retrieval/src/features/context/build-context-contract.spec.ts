import {
  contextContract10Schema,
  contextContract11Schema,
  requestIdSchema,
  type ContextBody,
  type ContextContract11,
} from '@candor/contracts';
import type { ItemHead, ReadScope, SourceProblem } from '@candor/persistence/views';
import { ExclusionTally } from '../../search/exclusion-tally.js';
import { narrowToRequest } from '../../search/narrow-scope.js';
import type { RetrievedPage } from '../../search/retrieval-run.js';
import type { PageEntry } from '../../search/select-page.js';
import { aCandidate, aChunk, aHead, aKey, API_KEY, idOf, NOTHING_MATCHED } from '../../testing/builders.js';
import { GENERATION } from '../../testing/in-memory-world.js';
import { buildContextContract10, buildContextContract11, type ContextContractInput } from './build-context-contract.js';

const REQUEST_ID = requestIdSchema.parse('44444444-4444-4444-8444-444444444444');
const ISSUED_AT = new Date('2026-05-30T20:14:00.000Z');

function anEntry(number: number, head: Partial<ItemHead> = {}): PageEntry {
  const itemId = idOf(number);
  return {
    ...aCandidate({
      chunk: aChunk({ chunkId: idOf(100 + number), itemId }),
      cosine: 0.84321,
      lexicalScore: 7.5,
    }),
    head: aHead({ itemId, ...head }),
    match: NOTHING_MATCHED,
    fused: 0.9,
  };
}

function input(
  entries: PageEntry[],
  parts: {
    keyScope?: ReadScope;
    request?: Partial<ContextBody>;
    excluded?: ExclusionTally;
    page?: Partial<RetrievedPage>;
  } = {},
): ContextContractInput {
  const keyScope = parts.keyScope ?? { allowedProviders: ['notion', 'slack'], principals: null };
  const request = { query: ' What did we decide about the brand color? ', limit: 8, ...parts.request };
  return {
    requestId: REQUEST_ID,
    issuedAt: ISSUED_AT,
    request,
    page: {
      entries,
      relevant: entries.length > 0,
      excluded: parts.excluded ?? new ExclusionTally(),
      key: aKey(),
      keyScope,
      scope: narrowToRequest(keyScope, request.providers ?? null),
      generation: GENERATION,
      denseWeight: 0.7,
      candidates: 12,
      rounds: 1,
      exact: true,
      tookMs: { embed: 1, search: 2, recheck: 3, total: 6.04 },
      ...parts.page,
    },
  };
}

const NOT_ALLOWED = 'The authenticating API key is not allowed to retrieve this provider.';
const NO_MATCH = 'The provider was allowed for this key, but no matching context was returned.';

describe('contract 1.0', () => {
  it('is exactly the documented envelope', () => {
    const contract = buildContextContract10(input([anEntry(1)]));
    expect(contextContract10Schema.parse(contract)).toEqual(contract);
    expect(contract).toEqual({
      contract: {
        version: '1.0',
        requestId: REQUEST_ID,
        endpoint: '/v1/context',
        issuedAt: '2026-05-30T20:14:00.000Z',
        callerActorType: 'agent',
        callerApiKeyId: API_KEY,
      },
      query: { raw: ' What did we decide about the brand color? ', limit: 8 },
      hits: [
        {
          sourceItemId: idOf(1),
          title: 'Brand decisions',
          content: "We're keeping the lime-green accent.",
          url: 'https://notion.example/brand',
          provider: 'notion',
          score: 0.8432,
          freshness: { syncedAt: '2026-05-30T20:00:00.000Z', ageHours: 0.2 },
          accessPolicy: { provider: 'notion', mode: 'provider_scope', workspaceId: 'w1' },
        },
      ],
      citations: [{ index: 1, sourceItemId: idOf(1), title: 'Brand decisions' }],
      exclusions: [
        { type: 'provider_scope', provider: 'google_drive', reason: NOT_ALLOWED },
        { type: 'provider_scope', provider: 'gmail', reason: NOT_ALLOWED },
        { type: 'provider_scope', provider: 'upload', reason: NOT_ALLOWED },
        { type: 'no_results', provider: 'slack', reason: NO_MATCH },
      ],
      limitations: [
        { code: 'provider_scope_applied', message: 'Only notion, slack memory was eligible for retrieval.' },
      ],
    });
  });

  it('takes the actor from the key’s metadata', () => {
    const contract = buildContextContract10(input([], { page: { key: aKey({ actorType: 'application' }) } }));
    expect(contract.contract.callerActorType).toBe('application');
  });

  it('numbers the citations 1..n in the order of the hits, each item once', () => {
    const { citations } = buildContextContract10(input([anEntry(3), anEntry(1), anEntry(2)]));
    expect(citations.map(({ index, sourceItemId }) => [index, sourceItemId])).toEqual([
      [1, idOf(3)],
      [2, idOf(1)],
      [3, idOf(2)],
    ]);
  });

  it('says no_results only of providers that were asked for, and provider_scope of all that are closed', () => {
    const { exclusions, limitations } = buildContextContract10(
      input([], {
        request: { providers: ['slack', 'gmail'] },
        keyScope: { allowedProviders: ['slack', 'notion'], principals: null },
      }),
    );
    expect(exclusions.map(({ type, provider }) => `${type} ${provider}`)).toEqual([
      'provider_scope google_drive',
      'provider_scope gmail',
      'provider_scope upload',
      'no_results slack',
    ]);
    expect(limitations.map(({ message }) => message)).toContain('Only slack memory was eligible for retrieval.');
  });

  it('has neither scope exclusion nor scope limitation for a key that may read everything', () => {
    const { exclusions, limitations } = buildContextContract10(
      input([anEntry(1)], { keyScope: { allowedProviders: null, principals: null } }),
    );
    expect(exclusions.every(({ type }) => type === 'no_results')).toBe(true);
    expect(exclusions).toHaveLength(4);
    expect(limitations).toEqual([]);
  });

  it('says so when no requested provider is the key’s', () => {
    const { limitations } = buildContextContract10(input([], { request: { providers: ['gmail'] } }));
    expect(limitations).toEqual([
      { code: 'no_context', message: "Nothing matching this query was found within the caller's scope." },
      { code: 'provider_scope_applied', message: 'No provider was eligible for retrieval.' },
    ]);
  });

  it('names missing sync times and missing policies', () => {
    const entry = anEntry(1, { syncedAt: null, accessPolicy: null, accessMode: 'unknown' });
    const contract = buildContextContract10(input([entry]));
    expect(contextContract10Schema.parse(contract).hits[0]).toMatchObject({ freshness: null, accessPolicy: null });
    expect(contract.limitations.map(({ code }) => code)).toEqual([
      'provider_scope_applied',
      'missing_sync_timestamp',
      'missing_source_access_policy',
    ]);
  });
});

describe('contract 1.1', () => {
  function build(entries: PageEntry[], parts: Parameters<typeof input>[1] = {}): ContextContract11 {
    return contextContract11Schema.parse(buildContextContract11(input(entries, parts)));
  }

  it('says everything that 1.0 says', () => {
    const given = input([anEntry(1), anEntry(2)]);
    const contract10 = buildContextContract10(given);
    const contract11 = buildContextContract11(given);
    expect(contract11.hits).toMatchObject(contract10.hits);
    expect(contract11).toMatchObject({
      contract: { ...contract10.contract, version: '1.1' },
      query: contract10.query,
      citations: contract10.citations,
      limitations: contract10.limitations,
    });
    expect(contract11.exclusions).toEqual(contract10.exclusions.map((exclusion) => ({ ...exclusion, count: null })));
  });

  it('says which chunk and version a hit is, how it was ranked, and by which recipe', () => {
    const validFrom = new Date('2026-01-01T00:00:00Z');
    const contract = build([anEntry(1, { validFrom, contentHash: 'abc' })]);
    expect(contract.hits[0]).toMatchObject({
      chunkId: idOf(101),
      version: 1,
      contentHash: 'abc',
      ranking: { dense: 0.84321, lexical: 7.5, fused: 0.9 },
      validity: { validFrom: '2026-01-01T00:00:00.000Z', validUntil: null, state: 'valid' },
    });
    expect(contract.retrieval).toEqual({
      strategy: 'hybrid:min-max-linear:dense=0.7',
      generationId: GENERATION.id,
      pipelineFingerprint: 'pipeline-1',
      corpusFingerprint: 'corpus-1',
      candidates: 12,
      tookMs: 6,
      exact: true,
    });
  });

  it('has null for a leg that did not find the chunk', () => {
    expect(build([{ ...anEntry(1), denseRank: null }]).hits[0]?.ranking.dense).toBeNull();
    expect(build([{ ...anEntry(1), lexicalScore: null }]).hits[0]?.ranking.lexical).toBeNull();
  });

  it('counts what was left out, by cause and provider, and nothing that the caller may not see', () => {
    const excluded = new ExclusionTally();
    excluded.add('relevance_floor', 'slack', idOf(1));
    excluded.add('relevance_floor', 'slack', idOf(2));
    excluded.add('relevance_floor', 'slack', idOf(2));
    excluded.add('superseded', 'notion', idOf(3));
    excluded.add('not_yet_known', 'notion', idOf(4));
    excluded.add('duplicate', 'slack', idOf(5));
    excluded.add('withheld', 'slack', idOf(6));
    excluded.add('gone', 'slack', idOf(7));
    const counted = build([anEntry(1)], { excluded }).exclusions.filter(({ count }) => count !== null);
    expect(counted.map(({ type, provider, count }) => [type, provider, count])).toEqual([
      ['relevance_floor', 'slack', 2],
      ['superseded', 'notion', 1],
      ['not_yet_known', 'notion', 1],
      ['duplicate', 'slack', 1],
    ]);
  });

  it('tells service keys, and no others, of hits without a policy', () => {
    const entry = anEntry(1, { accessPolicy: null, accessMode: 'unknown' });
    const typesFor = (principals: string[] | null) =>
      build([entry], { keyScope: { allowedProviders: null, principals } }).exclusions.map(({ type }) => type);
    expect(typesFor(null)).toContain('access_unknown');
    expect(typesFor(['user:a@x.org'])).not.toContain('access_unknown');
  });

  it('judges validity at the instant asked about', () => {
    const entry = anEntry(1, { validUntil: new Date('2026-03-01T00:00:00.000Z') });
    const stateAt = (knownAsOf?: string) =>
      buildContextContract11(input([entry], { request: { knownAsOf } })).hits[0]?.validity.state;
    expect(stateAt()).toBe('expired');
    expect(stateAt('2026-02-28T23:00:00-01:00')).toBe('expired');
    expect(stateAt('2026-02-28T23:00:00Z')).toBe('valid');
  });

  it('says what keeps sources from being whole, of providers that were asked for and are readable', () => {
    const problems: SourceProblem[] = [
      { kind: 'failed', provider: 'slack', count: 1 },
      { kind: 'stale', provider: 'gmail', count: 4 },
      { kind: 'stale', provider: 'notion', count: 2 },
      { kind: 'stale', provider: 'slack', count: 3 },
      { kind: 'unread', provider: 'slack', count: 5 },
    ];
    const told = (parts: Parameters<typeof input>[1]) =>
      buildContextContract11(input([], parts), problems)
        .exclusions.filter(({ type }) => type.startsWith('source_'))
        .map(({ type, provider, count }) => [type, provider, count]);
    expect(told({})).toEqual([
      ['source_stale', 'notion', 2],
      ['source_stale', 'slack', 3],
      ['source_error', 'slack', 1],
      ['source_error', 'slack', 5],
    ]);
    expect(told({ request: { providers: ['slack', 'gmail'] } })).toEqual([
      ['source_stale', 'slack', 3],
      ['source_error', 'slack', 1],
      ['source_error', 'slack', 5],
    ]);
    // How many accounts are connected is no fact about what they may see; items are counted as they see them.
    expect(told({ keyScope: { allowedProviders: ['slack'], principals: ['user:a@x.org'] } })).toEqual([
      ['source_stale', 'slack', null],
      ['source_error', 'slack', null],
      ['source_error', 'slack', 5],
    ]);
    const all = buildContextContract11(input([]), problems).exclusions;
    expect(new Set(all.map(({ type, provider, reason }) => `${type} ${provider} ${reason}`)).size).toBe(all.length);
  });

  it('is valid before the first generation', () => {
    expect(build([], { page: { generation: null, candidates: 0 } }).retrieval).toMatchObject({
      generationId: null,
      pipelineFingerprint: '',
    });
  });
});
