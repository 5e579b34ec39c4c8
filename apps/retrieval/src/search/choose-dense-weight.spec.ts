import { EmbedderRegistry } from '@candor/embeddings';
import { aScope, idOf } from '../testing/builders.js';
import { FixedEmbedder, InMemoryWorld } from '../testing/in-memory-world.js';
import { chooseDenseWeight } from './choose-dense-weight.js';
import { FUSION } from './fusion-settings.js';
import { RetrieveChunksService } from './retrieve-chunks.service.js';
import type { PagePlan } from './select-page.js';

const { denseWeight, foreignDenseWeight } = FUSION;

describe('chooseDenseWeight', () => {
  it.each([
    ['Wer genehmigt den Urlaub?', ['en'], foreignDenseWeight],
    ['谁批准假期？', ['en'], foreignDenseWeight],
    ['Who approves leave?', ['en'], denseWeight],
    ['parental leave', ['en'], denseWeight],
    ['Wer genehmigt den Urlaub?', ['en', 'de'], denseWeight],
    ['Wer genehmigt den Urlaub?', null, denseWeight],
  ])('of “%s” for a model of %j is %d', (query, languages, expected) => {
    expect(chooseDenseWeight(query, languages)).toBe(expected);
  });
});

describe('a page', () => {
  const plan: PagePlan = {
    limit: 3,
    unit: 'item',
    floor: null,
    tailShare: null,
    rule: null,
    emptyUnlessRelevant: false,
  };

  it.each([
    ['bge-small-en-v1.5-q', 'Wer genehmigt den Urlaub?', [2, 1], foreignDenseWeight],
    ['bge-small-en-v1.5-q', 'Who approves leave?', [1, 2], denseWeight],
    ['of all languages', 'Wer genehmigt den Urlaub?', [1, 2], denseWeight],
  ])('is weighed by what its model, %s, knows of the language of “%s”', async (model, text, order, expected) => {
    const world = new InMemoryWorld();
    world.addItem({ itemId: idOf(1) }, { cosine: 0.9 });
    world.addItem({ itemId: idOf(2) }, { cosine: 0.2, lexicalScore: 9 });
    const embedder = Object.assign(new FixedEmbedder(), { profile: { ...new FixedEmbedder().profile, model } });
    const service = new RetrieveChunksService(world, world, EmbedderRegistry.around(embedder));
    const page = await service.retrieve(aScope(), { text }, () => plan, new AbortController().signal);
    expect(page.entries.map(({ chunk }) => chunk.itemId)).toEqual(order.map(idOf));
    expect(page.denseWeight).toBe(expected);
  });
});
