import { beforeEach, describe, expect, it } from '@jest/globals';
import { AppError, type CallerScope, type FindItemsRequest } from '@candor/contracts';
import { EmbedderRegistry, type RelevanceProfile } from '@candor/embeddings';
import { RetrieveChunksService } from '../../search/retrieve-chunks.service.js';
import { aKey, aScope, idOf, vectorOf } from '../../testing/builders.js';
import { FixedEmbedder, InMemoryWorld } from '../../testing/in-memory-world.js';
import { FindItemsService } from './find-items.service.js';

const RELEVANCE: RelevanceProfile = {
  relevanceFloor: 0.5,
  cosineGuard: 0.5,
  wordWeight: 0.3,
  evidenceGuard: 2,
  calibrated: true,
};
const UNMEASURED: RelevanceProfile = { ...RELEVANCE, relevanceFloor: 0, calibrated: false };
const everything = (): CallerScope => aScope({ allowedActions: ['admin'] });

describe('find_items', () => {
  let world: InMemoryWorld;
  beforeEach(() => {
    world = new InMemoryWorld();
    world.key = aKey({ allowedActions: ['admin'] });
  });

  const find = async (
    request: Partial<FindItemsRequest> = {},
    { caller = everything(), relevance = RELEVANCE, signal = new AbortController().signal } = {},
  ) => {
    const embedders = EmbedderRegistry.around(new FixedEmbedder());
    const chunks = new RetrieveChunksService(world, world, embedders, relevance);
    const service = new FindItemsService({ chunks, library: world.library, embedders, relevance }, world);
    const whole = { query: 'q', kinds: ['prompts', 'documents', 'collections'], semantic: true, tags: [], limit: 10 };
    return service.findItems(caller, { ...whole, ...request } as FindItemsRequest, signal);
  };
  const addPrompt = (number: number, cosine: number, tags: string[] = []): void =>
    world.library.add('prompt', { id: idOf(number), title: `prompt ${number}`, vector: vectorOf(cosine), tags });
  const addCollection = (number: number, cosine: number | null, tags: string[] = []): void =>
    world.library.add('collection', {
      id: idOf(number),
      title: `collection ${number}`,
      vector: cosine === null ? null : vectorOf(cosine),
      tags,
    });
  const addDocument = (number: number, cosine: number): void =>
    void world.addItem(
      { itemId: idOf(number), title: `document ${number}`, contentHash: `hash-${number}` },
      { chunkId: idOf(1000 + number), cosine },
    );

  it('has the nearest first, exactly, and nothing below the floor', async () => {
    for (const [number, cosine] of [
      [1, 0.6],
      [2, 0.9],
      [3, 0.49],
    ] as const) {
      addPrompt(number, cosine);
      addDocument(number + 10, cosine);
      addCollection(number + 20, cosine);
    }
    const { result } = await find();
    expect(result.prompts.map(({ title, score }) => [title, score])).toEqual([
      ['prompt 2', 0.9],
      ['prompt 1', 0.6],
    ]);
    expect(result.documents.map(({ title, score, chunkId }) => [title, score, chunkId])).toEqual([
      ['document 12', 0.9, idOf(1012)],
      ['document 11', 0.6, idOf(1011)],
    ]);
    expect(result.collections.map(({ name, score }) => [name, score])).toEqual([
      ['collection 22', 0.9],
      ['collection 21', 0.6],
    ]);
  });

  it('leaves nothing out for a model that nothing was measured for', async () => {
    addPrompt(1, 0.1);
    addDocument(11, 0.1);
    const { result } = await find({}, { relevance: UNMEASURED });
    expect([result.prompts, result.documents].map((found) => found.length)).toEqual([1, 1]);
  });

  it('is limited in each kind, and by all of the tags', async () => {
    for (const number of [1, 2, 3]) {
      addPrompt(number, 0.9, number === 2 ? ['a', 'b'] : ['a']);
      addDocument(number + 10, 0.9);
    }
    world.tagged.set('a', [idOf(11), idOf(12)]).set('b', [idOf(12)]);
    const limited = (await find({ limit: 2 })).result;
    expect([limited.prompts, limited.documents].map((found) => found.length)).toEqual([2, 2]);
    const tagged = (await find({ tags: ['a', 'b'] })).result;
    expect(tagged.prompts.map(({ promptId }) => promptId)).toEqual([idOf(2)]);
    expect(tagged.documents.map(({ documentId }) => documentId)).toEqual([idOf(12)]);
  });

  it('finds a collection by what it holds, also when nothing else is asked for', async () => {
    addCollection(21, null);
    addPrompt(1, 0.7);
    addDocument(11, 0.8);
    world.library.members = [
      { collectionId: idOf(21), itemId: idOf(1), itemType: 'prompt' },
      { collectionId: idOf(21), itemId: idOf(11), itemType: 'document' },
    ];
    const { result } = await find({ kinds: ['collections'] });
    expect(result).toEqual({
      prompts: [],
      documents: [],
      collections: [{ collectionId: idOf(21), name: 'collection 21', description: null, matchedItems: 2, score: 0.8 }],
    });
    expect((await find({ kinds: ['collections'], tags: ['t'] })).result.collections).toEqual([]);
  });

  it('shows no kind that the key may not use now, whatever its token says', async () => {
    addPrompt(1, 0.9);
    addCollection(21, null);
    addDocument(11, 0.9);
    world.library.members = [
      { collectionId: idOf(21), itemId: idOf(1), itemType: 'prompt' },
      { collectionId: idOf(21), itemId: idOf(11), itemType: 'document' },
    ];
    world.key = aKey({ allowedActions: ['search', 'collections:*'] });
    const now = (await find()).result;
    expect(now.prompts).toEqual([]);
    expect(now.collections[0]?.matchedItems).toBe(1);
    world.key = aKey({ allowedActions: ['admin'] });
    const token = await find({}, { caller: aScope({ allowedActions: ['search'] }) });
    expect([token.result.prompts, token.result.collections]).toEqual([[], []]);
    expect(token.result.documents).toHaveLength(1);
    world.key = null;
    await expect(find()).rejects.toThrow(new AppError('AUTH.INVALID_KEY'));
  });

  it('shows of documents what the caller may see, in both ways', async () => {
    world.addItem(
      { itemId: idOf(11), accessMode: 'acl', principals: ['user:a@x.org'], contentHash: 'other' },
      { chunkId: idOf(1011), cosine: 0.9 },
    );
    world.key = aKey({ allowedActions: ['admin'], principals: ['user:b@x.org'] });
    expect((await find()).result.documents).toEqual([]);
    await find({ semantic: false });
    expect(world.library.asked[0]?.[0]).toMatchObject({ principals: ['user:b@x.org'] });
  });

  it('gives a literal search the caller’s signal, and starts none for who has gone', async () => {
    const controller = new AbortController();
    await find({ semantic: false }, { signal: controller.signal });
    expect(world.library.asked).toHaveLength(1);
    controller.abort();
    await expect(find({ semantic: false }, { signal: controller.signal })).rejects.toThrow();
    expect(world.library.asked).toHaveLength(1);
  });

  it.each([
    ['its caller goes away', false],
    ['one beside it is refused', true],
  ])('ends a literal search for which nobody waits: %s', async (_when, isRefused) => {
    const controller = new AbortController();
    const ended: string[] = [];
    world.library.findDocuments = (_viewer, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          ended.push('documents');
          reject(new AppError('REQUEST.CANCELLED'));
        });
        if (!isRefused) controller.abort();
      });
    if (isRefused) world.library.findPrompts = () => Promise.reject(new AppError('RETRIEVAL.BUSY'));
    await expect(find({ semantic: false }, { signal: controller.signal })).rejects.toMatchObject({
      code: isRefused ? 'RETRIEVAL.BUSY' : 'REQUEST.CANCELLED',
    });
    expect(ended).toEqual(['documents']);
  });

  it('finds literally by where the words stand', async () => {
    const at = { startsCut: false, endsCut: true, chunkId: null };
    world.library.add('prompt', { id: idOf(1), title: 'P', description: 'D' });
    world.library.add('collection', { id: idOf(21), title: 'C' });
    world.library.titles.set(idOf(11), 'Document');
    world.library.literal.prompts = [{ ...at, id: idOf(1), field: 'description', window: 'words around i' }];
    world.library.literal.documents = [
      { ...at, id: idOf(11), field: 'body', window: 'text around i', chunkId: idOf(1011) },
      // Deleted meanwhile.
      { ...at, id: idOf(12), field: 'body', window: 'text around i' },
    ];
    world.library.literal.collections = [{ ...at, id: idOf(21), field: 'title', window: null }];
    const { result, facts } = await find({ semantic: false });
    expect(result).toEqual({
      prompts: [{ promptId: idOf(1), title: 'P', description: 'D', score: 0.9, highlight: 'words around…' }],
      documents: [
        { documentId: idOf(11), title: 'Document', score: 0.8, highlight: 'text around…', chunkId: idOf(1011) },
      ],
      collections: [{ collectionId: idOf(21), name: 'C', description: null, matchedItems: 0, score: 1 }],
    });
    expect(world.queries).toEqual([]);
    expect(facts).toMatchObject({ found: { prompts: 1, documents: 1, collections: 1 }, itemIds: [idOf(11)] });
  });
});
