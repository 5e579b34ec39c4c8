import { EmbedderRegistry, findRelevanceProfile } from '@candor/embeddings';
import { aScope, idOf } from '../testing/builders.js';
import { FixedEmbedder, InMemoryWorld } from '../testing/in-memory-world.js';
import { adaptToLanguage } from './adapt-to-language.js';
import { FUSION } from './fusion-settings.js';
import { itemPagePlan } from './item-page-plan.js';
import { RetrieveChunksService } from './retrieve-chunks.service.js';
import type { PagePlan } from './select-page.js';

const { denseWeight, foreignDenseWeight } = FUSION;
const plan: PagePlan = {
  limit: 3,
  unit: 'item',
  floor: 0.5,
  tailShare: 0.1,
  rule: null,
  emptyUnlessRelevant: true,
};

describe('adaptToLanguage', () => {
  it.each([
    ['Wer genehmigt den Urlaub?', ['en']],
    ['谁批准假期？', ['en']],
  ])('trusts the words of “%s” with a model of %j', (query, languages) => {
    const adapted = adaptToLanguage(plan, query, languages);
    expect(adapted).toEqual({ ...plan, denseWeight: foreignDenseWeight, floor: null, tailShare: null });
  });

  it('leaves the floor where nothing else would leave anything out', () => {
    const kept = adaptToLanguage({ ...plan, keepsFloor: true }, 'Wer genehmigt den Urlaub?', ['en']);
    expect(kept).toMatchObject({ floor: plan.floor, denseWeight: foreignDenseWeight });
  });

  it.each([
    ['Who approves leave?', ['en']],
    ['parental leave', ['en']],
    ['Wer genehmigt den Urlaub?', ['en', 'de']],
    ['Wer genehmigt den Urlaub?', null],
  ])('changes nothing for “%s” with a model of %j', (query, languages) => {
    expect(adaptToLanguage(plan, query, languages)).toBe(plan);
  });
});

describe('a page', () => {
  it.each([
    ['bge-small-en-v1.5-q', 'Wer genehmigt den Urlaub?', [2, 1], foreignDenseWeight],
    ['bge-small-en-v1.5-q', 'Who approves leave?', [1], denseWeight],
    ['of all languages', 'Wer genehmigt den Urlaub?', [1, 2], denseWeight],
  ])('is chosen by what its model, %s, knows of the language of “%s”', async (model, text, order, expected) => {
    const world = new InMemoryWorld();
    world.addItem({ itemId: idOf(1) }, { cosine: 0.9, content: 'who approves leave' });
    world.addItem({ itemId: idOf(2) }, { cosine: 0.2, lexicalScore: 9 });
    const embedder = Object.assign(new FixedEmbedder(), { profile: { ...new FixedEmbedder().profile, model } });
    const service = new RetrieveChunksService(world, world, EmbedderRegistry.around(embedder));
    const signal = new AbortController().signal;
    const page = await service.retrieve(
      aScope(),
      { text },
      () => itemPagePlan({ limit: 3 }, findRelevanceProfile({ model })),
      signal,
    );
    expect(page.entries.map(({ chunk }) => chunk.itemId)).toEqual(order.map(idOf));
    expect(page.denseWeight).toBe(expected);
  });
});
