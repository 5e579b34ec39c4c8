import type { AuditVerification } from '@candor/contracts';
import { addVerification, describeChain } from './describe-chain.js';

const part = (over: Partial<AuditVerification>): AuditVerification =>
  ({ intact: true, findings: [], events: 10, fromBatch: 1, toBatch: 5, nextBatch: null, ...over }) as AuditVerification;

describe('the chain in words', () => {
  it('says what is protected and what is not', () => {
    expect(describeChain({ sealedEvents: 0, unsealedEvents: 3 })).toMatch(/Nothing is sealed yet/);
    expect(describeChain({ sealedEvents: 12, unsealedEvents: 0 })).toBe(
      '12 events in a signed chain; none waits for its seal.',
    );
    expect(describeChain({ sealedEvents: 12, unsealedEvents: 1 })).toMatch(
      /1 event so young that nothing protects it yet/,
    );
  });

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
