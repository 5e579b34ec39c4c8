import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AuditFinding, ChainBatch, ChainEvent } from '@candor/contracts';
import { AuditSigner } from './audit-keys.js';
import { canonicalJson } from './canonical-json.js';
import { NO_DIGEST } from './chain-model.js';
import { sealBatch } from './seal-batch.js';
import { ChainWalk } from './verify-chain.js';

const signer = new AuditSigner(new Map([['key-1', randomBytes(32)]]));
const TENANT = randomUUID();
const START = Date.parse('2026-01-01T00:00:00.000Z');

const eventOf = (sequence: number, fields: Partial<ChainEvent> = {}): ChainEvent => ({
  id: randomUUID(),
  tenantId: TENANT,
  sequence: String(sequence),
  requestId: randomUUID(),
  action: 'search.query',
  outcome: 'succeeded',
  actorApiKeyId: randomUUID(),
  actorType: 'agent',
  targetType: null,
  targetId: null,
  metadata: { hits: sequence },
  erasableDigest: null,
  erasable: null,
  erasableSalt: null,
  createdAt: new Date(START + sequence).toISOString(),
  ...fields,
});

interface Stored {
  batch: ChainBatch;
  events: ChainEvent[];
}

/** A chain of batches of these sizes. */
function chainOf(sizes: readonly number[], by = signer): Stored[] {
  let sequence = 0;
  let previous = { batch: 0, digest: NO_DIGEST };
  return sizes.map((size) => {
    const events = Array.from({ length: size }, () => eventOf((sequence += 1))) as [ChainEvent, ...ChainEvent[]];
    const batch = sealBatch(previous, events, { signer: by, sealedAt: new Date(START + 1_000_000 + sequence) });
    previous = { batch: batch.batch, digest: batch.digest };
    return { batch, events: [...events] };
  });
}

function verify(
  chain: readonly Stored[],
  options: Partial<ConstructorParameters<typeof ChainWalk>[0]> = {},
): AuditFinding[] {
  const walk = new ChainWalk({ keys: signer.publicKeys, ...options });
  for (const { batch, events } of chain) walk.add(batch, events);
  walk.finish({ isComplete: true });
  return walk.findings;
}

const located = (findings: readonly AuditFinding[]): string[] =>
  findings.map(({ type, batch, eventId }) => `${type} ${batch} ${eventId}`).sort();

const sizes = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 5 });
const place = fc.nat();

/** An event of the chain by any number. */
function pick(chain: readonly Stored[], number: number): { stored: Stored; index: number; event: ChainEvent } {
  const all = chain.flatMap((stored) => stored.events.map((event, index) => ({ stored, index, event })));
  const found = all[number % all.length];
  if (!found) throw new Error('a chain has events');
  return found;
}

describe('a sealed chain', () => {
  it('is intact as it was sealed', () => {
    fc.assert(fc.property(sizes, (given) => expect(verify(chainOf(given))).toEqual([])));
  });

  it('locates any altered field of any event, and nothing else', () => {
    const change = fc.constantFrom<(event: ChainEvent) => ChainEvent>(
      (event) => ({ ...event, outcome: 'failed' }),
      (event) => ({ ...event, action: 'context.retrieve' }),
      (event) => ({ ...event, requestId: randomUUID() }),
      (event) => ({ ...event, actorApiKeyId: null }),
      (event) => ({ ...event, actorType: 'admin' }),
      (event) => ({ ...event, targetId: 'x' }),
      (event) => ({ ...event, targetType: 'x' }),
      (event) => ({ ...event, metadata: { ...event.metadata, more: 1 } }),
      (event) => ({ ...event, metadata: {} }),
      (event) => ({ ...event, createdAt: new Date(Date.parse(event.createdAt) + 1).toISOString() }),
      (event) => ({ ...event, sequence: `${event.sequence}0` }),
      (event) => ({ ...event, tenantId: randomUUID() }),
      (event) => ({ ...event, erasableDigest: 'f'.repeat(64) }),
      (event) => ({ ...event, erasable: { query: 'forged' }, erasableSalt: '00' }),
    );
    fc.assert(
      fc.property(sizes, place, change, (given, number, alter) => {
        const chain = chainOf(given);
        const { stored, index, event } = pick(chain, number);
        stored.events[index] = alter(event);
        expect(located(verify(chain))).toEqual([`event_altered ${stored.batch.batch} ${event.id}`]);
      }),
    );
  });

  it('locates any missing event', () => {
    fc.assert(
      fc.property(sizes, place, (given, number) => {
        const chain = chainOf(given);
        const { stored, index, event } = pick(chain, number);
        stored.events.splice(index, 1);
        expect(located(verify(chain))).toEqual([`event_missing ${stored.batch.batch} ${event.id}`]);
      }),
    );
  });

  it('locates any inserted event, a copy of a sealed one too', () => {
    fc.assert(
      fc.property(sizes, place, fc.boolean(), (given, number, isCopy) => {
        const chain = chainOf(given);
        const { stored, index, event } = pick(chain, number);
        const forged = isCopy ? event : eventOf(Number(event.sequence));
        stored.events.splice(index + 1, 0, forged);
        expect(located(verify(chain))).toEqual([`event_inserted ${stored.batch.batch} ${forged.id}`]);
      }),
    );
  });

  it('locates any two events that changed places, within a batch and between two', () => {
    fc.assert(
      fc.property(sizes, place, place, (given, one, other) => {
        const chain = chainOf(given);
        const [first, second] = [pick(chain, one), pick(chain, other)];
        fc.pre(first.event !== second.event);
        first.stored.events[first.index] = second.event;
        second.stored.events[second.index] = first.event;
        const findings = verify(chain);
        const named = new Set(findings.map(({ eventId }) => eventId));
        expect(named).toEqual(new Set([first.event.id, second.event.id]));
        expect(findings.some(({ type }) => type === 'event_reordered')).toBe(true);
      }),
    );
  });

  it('locates two events whose order numbers were exchanged', () => {
    const chain = chainOf([4]);
    const [stored] = chain;
    const [first, second, third] = stored?.events ?? [];
    if (!stored || !first || !second || !third) throw new Error('four events');
    stored.events[0] = { ...first, sequence: third.sequence };
    stored.events[2] = { ...third, sequence: first.sequence };
    expect(located(verify(chain))).toEqual([`event_reordered 1 ${first.id}`, `event_reordered 1 ${third.id}`].sort());
  });

  it('tells a forged record from a forged event', () => {
    const chain = chainOf([3]);
    const [stored] = chain;
    const leaf = stored?.batch.leaves[1];
    if (!stored || !leaf) throw new Error('three leaves');
    stored.batch.leaves[1] = { ...leaf, digest: '1'.repeat(64) };
    expect(located(verify(chain))).toEqual([`record_altered 1 ${leaf.eventId}`]);
    stored.batch.leaves[1] = leaf;
    const [first, second, third] = stored.batch.leaves;
    if (!first || !second || !third) throw new Error('three leaves');
    stored.batch.leaves = [second, first, third];
    expect(
      located(verify([{ ...stored, events: [1, 0, 2].flatMap((index) => stored.events[index] ?? []) }])),
    ).toContain(`event_reordered 1 ${first.eventId}`);
  });

  it.each<[string, (chain: Stored[]) => Stored[], string]>([
    ['a batch taken out', (chain) => chain.filter(({ batch }) => batch.batch !== 2), 'batch_missing 2 null'],
    ['two batches exchanged', ([a, b, c]) => [a, c, b] as Stored[], 'link_broken 2 null'],
    [
      'another count',
      (chain) => chain.map((stored) => ({ ...stored, batch: { ...stored.batch, events: 9 } })),
      'batch_altered 1 null',
    ],
    [
      'a forged digest',
      (chain) => chain.map((stored) => ({ ...stored, batch: { ...stored.batch, digest: 'a'.repeat(64) } })),
      'signature_invalid 1 null',
    ],
    [
      'an expiry nobody recorded',
      (chain) =>
        chain.map(({ batch, events }) =>
          batch.batch === 1
            ? { batch: { ...batch, expiredAt: new Date(START).toISOString(), leaves: [] }, events: [] }
            : { batch, events },
        ),
      'expiry_unrecorded 1 null',
    ],
  ])('sees %s', (_name, tamper, finding) => {
    expect(located(verify(tamper(chainOf([2, 2, 2]))))).toContain(finding);
  });

  describe('of what retention removed', () => {
    const expire = (chain: readonly Stored[], ...numbers: number[]): Stored[] =>
      chain.map(({ batch, events }) =>
        numbers.includes(batch.batch)
          ? { batch: { ...batch, expiredAt: new Date(START).toISOString(), leaves: [] }, events: [] }
          : { batch, events },
      );
    /** Four batches of two, and a fifth that holds a record of an expiry. */
    const recorded = (toBatch: number, digest?: string): Stored[] => {
      const chain = chainOf([2, 2, 2, 2]);
      const named = digest ?? chain.find(({ batch }) => batch.batch === toBatch)?.batch.digest;
      const record = eventOf(99, { action: 'audit.expire', metadata: { toBatch, digest: named } });
      const batch = sealBatch(chain[3]!.batch, [record], { signer, sealedAt: new Date(START + 3_000_000) });
      return [...chain, { batch, events: [record] }];
    };

    it('takes what its last record names, and counts it', () => {
      expect(verify(expire(recorded(2), 1, 2))).toEqual([]);
      const walk = new ChainWalk({ keys: signer.publicKeys });
      for (const { batch, events } of expire(recorded(2), 1, 2)) walk.add(batch, events);
      expect(walk).toMatchObject({ expiredBatches: 2, expiredEvents: 4 });
    });

    it.each<[string, Stored[], string[]]>([
      ['more than it names', expire(recorded(2), 1, 2, 3), ['expiry_unrecorded 3 null']],
      ['less than it names', expire(recorded(2), 1), ['expiry_unrecorded 1 null']],
      ['one in the middle', expire(recorded(3), 3), ['expiry_unrecorded 3 null']],
      ['one with another digest', expire(recorded(1, 'a'.repeat(64)), 1), ['expiry_unrecorded 1 null']],
      [
        'one that says it is all there ever will be',
        expire(recorded(2_147_483_647, 'x'), 1),
        ['expiry_unrecorded 1 null'],
      ],
    ])('does not take %s', (_name, chain, findings) => {
      expect(located(verify(chain))).toEqual(findings);
    });

    it('names the last hundred of many', () => {
      const chain = chainOf(Array.from({ length: 130 }, () => 1));
      const findings = verify(expire(chain, ...Array.from({ length: 120 }, (_, index) => index + 1)));
      expect(findings.map(({ batch }) => batch)).toEqual(Array.from({ length: 100 }, (_, index) => index + 21));
    });

    it('knows of the last one where a part of the chain ends before it', () => {
      const chain = expire(recorded(3), 1, 2, 3);
      const walk = new ChainWalk({ keys: signer.publicKeys });
      walk.noteExpiry(chain[4]!.events[0]!);
      walk.noteExpired(chain[2]!.batch);
      walk.add(chain[0]!.batch, []);
      walk.finish({ isComplete: false });
      expect(walk.findings).toEqual([]);
      const next = new ChainWalk({
        keys: signer.publicKeys,
        previous: { batch: 1, digest: chain[0]!.batch.digest, isKept: true },
      });
      next.noteExpiry(chain[4]!.events[0]!);
      for (const { batch, events } of chain.slice(1)) next.add(batch, events);
      next.finish({ isComplete: true });
      expect(located(next.findings)).toEqual(['expiry_unrecorded 2 null']);
    });
  });

  it('does not take a chain that another key signed, nor a key id that is taken', () => {
    const stranger = new AuditSigner(new Map([['key-2', randomBytes(32)]]));
    expect(located(verify(chainOf([1], stranger)))).toEqual(['key_unknown 1 null']);
    const impostor = new AuditSigner(new Map([['key-1', randomBytes(32)]]));
    expect(located(verify(chainOf([1], impostor)))).toEqual(['signature_invalid 1 null']);
  });

  it('goes on under a new key, and holds as long as the old one is known', () => {
    const [oldSeed, newSeed] = [randomBytes(32), randomBytes(32)];
    const before = new AuditSigner(new Map([['old', oldSeed]]));
    const after = new AuditSigner(
      new Map([
        ['new', newSeed],
        ['old', oldSeed],
      ]),
    );
    const [first] = chainOf([2], before);
    if (!first) throw new Error('one batch');
    const events = [eventOf(3)] as [ChainEvent];
    const batch = sealBatch(first.batch, events, { signer: after, sealedAt: new Date(START + 2_000_000) });
    const chain = [first, { batch, events: [...events] }];
    expect(batch.keyId).toBe('new');
    expect(verify(chain, { keys: after.publicKeys })).toEqual([]);
    expect(located(verify(chain, { keys: new Map([...after.publicKeys].filter(([id]) => id === 'new')) }))).toEqual([
      'key_unknown 1 null',
    ]);
  });

  it('shows by kept heads that a whole chain was rewritten, or cut at its end', () => {
    const kept = chainOf([2, 2, 2]).map(({ batch }) => batch);
    expect(located(verify(chainOf([2, 2, 2]), { keptHeads: kept }))).toEqual([
      'head_differs 1 null',
      'head_differs 2 null',
      'head_differs 3 null',
    ]);
    const chain = chainOf([2, 2, 2]);
    const heads = chain.map(({ batch }) => batch);
    expect(verify(chain, { keptHeads: heads })).toEqual([]);
    expect(located(verify(chain.slice(0, 2), { keptHeads: heads }))).toEqual(['head_differs 3 null']);
  });

  it('sees an event that says it is much older than what was sealed before it', () => {
    const [first] = chainOf([2]);
    if (!first) throw new Error('one batch');
    const forged = [eventOf(3, { createdAt: '2025-12-31T00:00:00.000Z' })] as [ChainEvent];
    const batch = sealBatch(first.batch, forged, { signer, sealedAt: new Date(START + 2_000_000) });
    expect(located(verify([first, { batch, events: [...forged] }]))).toEqual([`event_backdated 2 ${forged[0].id}`]);
  });
});

describe('canonicalJson', () => {
  it('is the same whatever the order of keys, as RFC 8785 writes it', () => {
    expect(canonicalJson({ b: [1, 'é', { z: null, a: 1e21 }], a: true, '\u20ac': 0.1, skipped: undefined })).toBe(
      '{"a":true,"b":[1,"é",{"a":1e+21,"z":null}],"€":0.1}',
    );
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(JSON.parse(canonicalJson(value)))).toBe(canonicalJson(value));
      }),
    );
  });
});
