import { beforeEach, describe, expect, it } from '@jest/globals';
import { EmbedderRegistry } from '@candor/embeddings';
import { calibrate, trustedResultSchema, type TrustedResult } from '@candor/reasoning';
import { RetrieveChunksService } from '../../search/retrieve-chunks.service.js';
import { aKey, aScope, idOf, TENANT } from '../../testing/builders.js';
import { InMemoryReasoning } from '../../testing/in-memory-reasoning.js';
import { FixedEmbedder, GENERATION, InMemoryWorld } from '../../testing/in-memory-world.js';
import { RelationGraphService } from './relation-graph.service.js';
import { TrustedSearchService } from './trusted-search.service.js';

const NOW = new Date('2026-06-01T00:00:00.000Z');
const relevance = { relevanceFloor: 0.5, cosineGuard: 0.6, wordWeight: 0.3, evidenceGuard: 0.4, calibrated: true };
const certified = calibrate(
  {
    answerable: Array.from({ length: 40 }, (_, index) => 0.7 + index / 1000),
    unanswerable: Array.from({ length: 40 }, (_, index) => 0.3 + index / 1000),
  },
  {
    tenantId: TENANT,
    generationId: GENERATION.id,
    pipelineFingerprint: GENERATION.pipelineFingerprint,
    querySetDigest: 'queries',
    corpusFingerprint: 'corpus-1',
    corpusSize: 10,
    createdAt: NOW.toISOString(),
  },
);

describe('trusted search', () => {
  let world: InMemoryWorld;
  let reads: InMemoryReasoning;
  let service: TrustedSearchService;
  beforeEach(() => {
    world = new InMemoryWorld();
    reads = new InMemoryReasoning();
    const chunks = new RetrieveChunksService(world, world, EmbedderRegistry.around(new FixedEmbedder()), relevance);
    service = new TrustedSearchService(chunks, reads, () => NOW);
  });

  async function search(fields: { knownAsOf?: string; limit?: number } = {}) {
    const request = { query: 'brand', knownAsOf: null, limit: 20, ...fields };
    const { result, facts } = await service.search(aScope(), request, new AbortController().signal);
    // What arrives is what the engine accepts, whole.
    return { result: trustedResultSchema.parse(result), facts };
  }
  const verdicts = ({ hits }: TrustedResult) => hits.map(({ documentId, verdict }) => [documentId, verdict]);

  it('judges every hit near the query, whatever the model’s floor', async () => {
    world.addItem({ itemId: idOf(1) }, { cosine: 0.9, chunkId: idOf(21) });
    world.addItem({ itemId: idOf(2), validUntil: new Date('2026-05-01T00:00:00Z') }, { cosine: 0.8 });
    world.addItem({ itemId: idOf(3), validFrom: new Date('2026-07-01T00:00:00Z') }, { cosine: 0.75 });
    world.addItem({ itemId: idOf(4), superseded: true }, { cosine: 0.7 });
    reads.standings.set(idOf(4), { sourceDate: null, successors: [idOf(1)] });
    world.addItem({ itemId: idOf(5), superseded: true }, { cosine: 0.65 });
    reads.standings.set(idOf(5), { sourceDate: null, successors: [idOf(1), idOf(2)] });
    world.addItem({ itemId: idOf(6) }, { cosine: 0.62, chunkId: idOf(26) });
    reads.altered.add(idOf(26));
    world.addItem({ itemId: idOf(7) }, { cosine: 0.2 });
    world.addItem({ itemId: idOf(8) }, { cosine: 0.61 });
    reads.gone.add(idOf(8));
    const { result, facts } = await search();
    expect(verdicts(result)).toEqual([
      [idOf(1), 'ok'],
      [idOf(2), 'expired'],
      [idOf(3), 'not_yet_valid'],
      [idOf(4), 'superseded'],
      [idOf(5), 'ambiguous_supersession'],
      [idOf(6), 'unverified'],
      [idOf(7), 'low_confidence'],
    ]);
    expect(facts).toMatchObject({ bestScore: 0.9, verdicts: { ok: 1, low_confidence: 1 } });
    expect(JSON.stringify(facts)).not.toContain('lime-green');
  });

  it('says what was searched, and that nothing certifies it', async () => {
    world.addItem({ itemId: idOf(1) }, { cosine: 0.9 });
    const { result } = await search();
    expect(result).toMatchObject({
      identity: {
        tenantId: TENANT,
        generationId: GENERATION.id,
        pipelineFingerprint: 'pipeline-1',
        corpusFingerprint: 'corpus-1',
      },
      trustState: { state: 'degraded', failureCode: 'CALIBRATION_MISSING' },
      abstained: false,
    });
  });

  it('is trusted with a certified calibration, whose threshold then counts, until the corpus outgrows it', async () => {
    world.addItem({ itemId: idOf(1) }, { cosine: 0.6 });
    world.addItem({ itemId: idOf(2) }, { cosine: 0.51 });
    reads.calibration = certified;
    reads.itemCount = 12;
    const trusted = (await search()).result;
    expect(trusted.trustState).toEqual({ state: 'trusted', failureCode: null });
    expect(verdicts(trusted)).toEqual([
      [idOf(1), 'ok'],
      [idOf(2), 'low_confidence'],
    ]);
    reads.itemCount = 13;
    expect((await search()).result.trustState.failureCode).toBe('CALIBRATION_STALE');
    reads.calibration = { ...certified, pipelineFingerprint: 'other' };
    expect((await search()).result.trustState.failureCode).toBe('CALIBRATION_MISSING');
  });

  it('abstains where no index is there yet', async () => {
    world.generation = null;
    const { result } = await search();
    expect(result).toMatchObject({ hits: [], abstained: true, trustState: { failureCode: 'INDEX_NOT_READY' } });
  });

  it('asks for what was known then', async () => {
    world.addItem({ itemId: idOf(1) }, { cosine: 0.9, recordedAt: '2026-02-01T00:00:00.000Z' });
    const knownAsOf = '2026-01-15T00:00:00.000Z';
    expect((await search({ knownAsOf })).result).toMatchObject({ hits: [], knownAsOf });
    expect(world.queries[0]?.query.filter).toMatchObject({ knownAsOf });
  });

  it('reads as the key allows now', async () => {
    world.addItem({ itemId: idOf(1) }, { cosine: 0.9 });
    world.key = aKey({ principals: ['user:a@x.org'] });
    await search();
    expect(reads.asked).toMatchObject([{ viewer: { tenantId: TENANT, principals: ['user:a@x.org'] } }]);
    world.key = null;
    await expect(search()).rejects.toMatchObject({ code: 'AUTH.INVALID_KEY' });
  });

  it('gives the relations around documents to the key as it is now', async () => {
    const relations = new RelationGraphService(world, reads);
    const declaredAt = new Date('2026-01-01T00:00:00Z');
    reads.graph = {
      documents: [
        { itemId: idOf(1), title: 'New', status: 'final', validFrom: null, validUntil: declaredAt, sourceDate: null },
      ],
      relations: [
        {
          relationId: 'r1',
          kind: 'supersedes',
          fromItemId: idOf(1),
          toItemId: idOf(2),
          origin: 'declared',
          declaredAt,
        },
      ],
      cut: 'surroundings',
      dismissedProposalIds: [idOf(7)],
      approvedProposalIds: [idOf(8)],
    };
    world.key = aKey({ principals: ['user:a@x.org'] });
    const request = { itemIds: [idOf(1)], knownAsOf: null, maxDocuments: 9 };
    const { result, facts } = await relations.read(aScope(), request);
    expect(result).toMatchObject({
      documents: [{ documentId: idOf(1), status: 'final', validUntil: declaredAt.toISOString() }],
      relations: [{ relationId: 'r1', fromDocumentId: idOf(1), toDocumentId: idOf(2) }],
      cut: 'surroundings',
      dismissedProposalIds: [idOf(7)],
      approvedProposalIds: [idOf(8)],
      identity: { tenantId: TENANT, generationId: world.generation?.id, corpusFingerprint: expect.any(String) },
    });
    expect(facts).toEqual({
      documents: 1,
      relations: 1,
      relationIds: ['r1'],
      cut: 'surroundings',
      generationId: world.generation?.id,
    });
    expect(reads.asked).toEqual([
      [
        { tenantId: TENANT, providers: null, principals: ['user:a@x.org'] },
        [idOf(1)],
        { maxDocuments: 9, knownAsOf: null },
      ],
    ]);
    world.key = null;
    await expect(relations.read(aScope(), request)).rejects.toMatchObject({ code: 'AUTH.INVALID_KEY' });
  });
});
