import type { AuditVerification } from '@candor/contracts';
import { addVerification, describeChain } from './describe-chain.js';

const part = (over: Partial<AuditVerification>): AuditVerification =>
  ({ intact: true, findings: [], events: 10, fromBatch: 1, toBatch: 5, nextBatch: null, ...over }) as AuditVerification;

describe('the chain in words', () => {
  it('says what is protected and what is not', () => {
    const say = (sealedEvents: number, unsealedEvents: number) =>
      describeChain({ sealedEvents, unsealedEvents, brokenSince: null });
    expect(say(0, 3)).toMatch(/Nothing is sealed yet/);
    expect(say(12, 0)).toBe('12 events in a signed chain; none waits for its seal.');
    expect(say(12, 1)).toMatch(/1 event so young that nothing protects it yet/);
  });

  it.each([
    [12, 0, '12 events in a signed chain, which is not continued.'],
    [12, 1, '12 events in a signed chain, which is not continued: nothing protects 1 event after it.'],
    [0, 3, '0 events in a signed chain, which is not continued: nothing protects 3 events after it.'],
  ])('promises no seal where the chain is broken: %d sealed, %d not', (sealedEvents, unsealedEvents, said) =>
    expect(describeChain({ sealedEvents, unsealedEvents, brokenSince: '2026-05-01T12:00:00.000Z' })).toBe(said),
  );

  it('adds up parts, and one broken part breaks it', () => {
    const finding = { type: 'event_altered', batch: 7, eventId: 'e', message: 'm' } as const;
    const first = addVerification(undefined, part({}));
    expect(first).toMatchObject({ intact: true, events: 10, batches: 5 });
    const both = addVerification(first, part({ intact: false, findings: [finding], fromBatch: 6, toBatch: 7 }));
    expect(both).toEqual({ intact: false, findings: [finding], events: 20, batches: 7 });
    expect(addVerification(both, part({})).intact).toBe(false);
    expect(addVerification(undefined, part({ toBatch: null, events: 0 })).batches).toBe(0);
  });
});
