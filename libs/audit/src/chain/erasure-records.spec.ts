import { describe, expect, it } from '@jest/globals';
import type { ChainEvent } from '@candor/contracts';
import { ErasureRecords, type ErasureRecord } from './erasure-records.js';

const KEY = 'key-of-a-person';

const erased = (id: string, sequence: number, fields: Partial<ChainEvent> = {}): ChainEvent => ({
  id,
  tenantId: 'tenant',
  sequence: String(sequence),
  requestId: 'request',
  action: 'search.query',
  outcome: 'succeeded',
  actorApiKeyId: KEY,
  actorType: 'agent',
  targetType: null,
  targetId: null,
  metadata: {},
  erasableDigest: 'f'.repeat(64),
  erasable: null,
  erasableSalt: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  ...fields,
});
const record = (sequence: number, fields: Partial<ErasureRecord>): Pick<ChainEvent, 'sequence' | 'metadata'> => ({
  sequence: String(sequence),
  metadata: { cause: 'person', apiKeyIds: null, before: null, events: 1, ...fields },
});

/** Ids of the events that nothing covers, whether the records come before or after them. */
function unrecorded(events: readonly ChainEvent[], records: readonly ReturnType<typeof record>[]): string[] {
  const found = [true, false].map((recordsFirst) => {
    const ledger = new ErasureRecords();
    const note = (): void => records.forEach((entry) => ledger.note(entry));
    if (recordsFirst) note();
    for (const event of events) ledger.look(event, 1);
    if (!recordsFirst) note();
    return ledger.unrecorded.map(({ id }) => id);
  });
  expect(found[0]).toEqual(found[1]);
  return found[0] ?? [];
}

describe('records of erasures', () => {
  it('cover what came before them, and nothing after', () => {
    expect(unrecorded([erased('a', 1), erased('b', 9)], [record(5, {})])).toEqual(['b']);
    expect(unrecorded([erased('a', 5)], [record(5, {})])).toEqual(['a']);
    expect(unrecorded([erased('a', 1)], [])).toEqual(['a']);
  });

  it('of a person cover what their keys asked', () => {
    const events = [
      erased('a', 1),
      erased('b', 2, { actorApiKeyId: 'another' }),
      erased('c', 3, { actorApiKeyId: null }),
    ];
    expect(unrecorded(events, [record(5, { apiKeyIds: [KEY] })])).toEqual(['b', 'c']);
    expect(unrecorded(events, [record(5, { apiKeyIds: [] })])).toEqual(['a', 'b', 'c']);
  });

  it('of retention cover what is older, each further than the one before it', () => {
    const events = [erased('a', 1), erased('b', 2, { createdAt: '2026-02-01T00:00:00.000Z' })];
    const early = record(5, { cause: 'retention', before: '2026-01-15T00:00:00.000Z' });
    const late = record(9, { cause: 'retention', before: '2026-02-15T00:00:00.000Z' });
    expect(unrecorded(events, [early])).toEqual(['b']);
    expect(unrecorded(events, [early, late])).toEqual([]);
    expect(unrecorded(events, [late, early])).toEqual([]);
  });

  it('from before there were any name each event', () => {
    const events = [erased('a', 1), erased('b', 2)];
    expect(unrecorded(events, [record(5, { cause: 'upgrade', eventIds: ['a'] })])).toEqual(['b']);
    // Once more, in whatever order: the last one counts.
    const again = [record(2, { cause: 'upgrade', eventIds: ['b'] }), record(9, { cause: 'upgrade', eventIds: ['b'] })];
    expect(unrecorded(events, again)).toEqual(['a']);
    expect(unrecorded(events, again.toReversed())).toEqual(['a']);
    expect(unrecorded([erased('c', 7)], [record(5, { cause: 'upgrade', eventIds: ['c'] })])).toEqual(['c']);
  });

  it('from before there were any are many, each of a thousand: every event is looked up once', () => {
    const ids = Array.from({ length: 50_000 }, (_, index) => `event-${index}`);
    const records = Array.from({ length: 50 }, (_, index) =>
      record(100_000 + index, { cause: 'upgrade', eventIds: ids.slice(index * 1_000, (index + 1) * 1_000) }),
    );
    const began = process.cpuUsage();
    // Other strings of the same text, as they come from the database.
    const events = ids.map((_, index) => erased(`event-${index}`, index));
    expect(unrecorded([...events, erased('another', 1)], records)).toEqual(['another']);
    // Held against each name it takes several times that.
    expect(process.cpuUsage(began).user).toBeLessThan(2_500_000);
  });

  it.each([
    [{}],
    [{ cause: 'person', events: 1 }],
    [{ cause: 'person', apiKeyIds: null, before: 'long ago', events: 1 }],
    [{ cause: 'somebody', apiKeyIds: null, before: null, events: 1 }],
  ])('have to be whole: %j covers nothing', (metadata) => {
    expect(unrecorded([erased('a', 1)], [{ sequence: '5', metadata }])).toEqual(['a']);
  });

  it('say nothing of events that have their text, or never had one', () => {
    const events = [erased('a', 1, { erasable: { query: 'x' } }), erased('b', 2, { erasableDigest: null })];
    expect(unrecorded(events, [])).toEqual([]);
  });
});
