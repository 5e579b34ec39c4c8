import { EXPAND_DIRECTIONS, type CallerScope, type ExpandDirection } from '@candor/contracts';
import type { ChunkNodeRecord } from '@candor/persistence/views';
import { aKey, aScope, idOf } from '../../testing/builders.js';
import { InMemoryWorld } from '../../testing/in-memory-world.js';
import { ExpandChunkService } from './expand-chunk.service.js';

const notFound: unknown = expect.objectContaining({ code: 'RESOURCE.NOT_FOUND', message: 'Not found.', details: null });

function aNode(number: number): ChunkNodeRecord {
  return {
    chunkId: idOf(number),
    itemId: idOf(1),
    version: 2,
    ordinal: number - 20,
    level: 'paragraph',
    parentId: idOf(20),
    previousId: null,
    nextId: null,
    startIndex: 0,
    endIndex: 5,
    sectionPath: [],
    headingText: null,
    content: `text ${number}`,
  };
}

let world: InMemoryWorld;
let service: ExpandChunkService;

beforeEach(() => {
  world = new InMemoryWorld();
  service = new ExpandChunkService(world);
  world.addItem({ itemId: idOf(1), version: 2, title: 'Handbook' });
  world.expansions.set(idOf(21), { chunk: { ...aNode(21), total: 9 }, found: [aNode(22), aNode(23)] });
});
const expand = (
  direction: ExpandDirection = 'next',
  { chunkId = idOf(21), count, scope = aScope() }: { chunkId?: string; count?: number; scope?: CallerScope } = {},
) => service.expandChunk(scope, { chunkId, direction, count } as Parameters<ExpandChunkService['expandChunk']>[1]);

it('shows each chunk under both names, with its place and document', async () => {
  const { result, facts } = await expand();
  expect(result.chunks).toEqual(
    [22, 23].map((number) => ({
      _id: idOf(number),
      chunkId: idOf(number),
      level: 'paragraph',
      chunkIndex: number - 20,
      documentTitle: 'Handbook',
      documentId: idOf(1),
      parentId: idOf(20),
      content: `text ${number}`,
    })),
  );
  expect(facts).toMatchObject({ itemIds: [idOf(1)], chunkIds: [idOf(22), idOf(23)], version: 2, direction: 'next' });
  expect(JSON.stringify(facts)).not.toContain('text 2');
});

it('takes the count that was asked for, else that of the direction', async () => {
  for (const direction of EXPAND_DIRECTIONS) await expand(direction);
  await expand('down', { count: 3 });
  expect(world.steps).toEqual([
    { direction: 'up', count: 1 },
    { direction: 'down', count: 10 },
    { direction: 'next', count: 1 },
    { direction: 'previous', count: 1 },
    { direction: 'surrounding', count: 1 },
    { direction: 'down', count: 3 },
  ]);
});

it('goes on working for older and for superseded versions', async () => {
  world.changeHead(idOf(1), { current: false, superseded: true });
  expect((await expand()).result.chunks).toHaveLength(2);
});

it('says the same of what is absent, deleted, or not the caller’s', async () => {
  await expect(expand('next', { chunkId: idOf(99) })).rejects.toEqual(notFound);
  await expect(expand('next', { chunkId: 'not a uuid' })).rejects.toEqual(notFound);
  await expect(expand('next', { scope: aScope({ allowedProviders: ['slack'] }) })).rejects.toEqual(notFound);
  world.changeHead(idOf(1), { accessMode: 'acl', principals: ['user:b@x.org'] });
  await expect(expand('next', { scope: aScope({ principals: ['user:a@x.org'] }) })).rejects.toEqual(notFound);
  world.key = aKey({ allowedProviders: ['slack'] });
  await expect(expand()).rejects.toEqual(notFound);
  world.key = aKey();
  world.deleteItem(idOf(1));
  await expect(expand()).rejects.toEqual(notFound);
});

it('refuses a revoked key', async () => {
  world.key = null;
  await expect(expand()).rejects.toMatchObject({ code: 'AUTH.INVALID_KEY' });
});
