import type { AccessPolicy } from '@candor/contracts';
import type { ItemHead } from '@candor/persistence/views';
import { aCandidate, aChunk, aHead, NOTHING_MATCHED } from '../testing/builders.js';
import { toHit } from './to-hit.js';

const NOW = new Date('2026-05-30T20:14:00.000Z');
const SERVICE_KEY = { principals: null };

function hitOf(head: Partial<ItemHead>, scope: { principals: string[] | null } = SERVICE_KEY) {
  const entry = {
    ...aCandidate({ chunk: aChunk({ title: 'Old title' }), cosine: 0.843_21 }),
    head: aHead(head),
    match: NOTHING_MATCHED,
    fused: 1,
  };
  return toHit(entry, scope, NOW);
}

describe('toHit', () => {
  it('takes the text of the chunk and all else from the head, which is newer than the index', () => {
    expect(hitOf({ title: 'New title' })).toMatchObject({
      title: 'New title',
      content: "We're keeping the lime-green accent.",
      score: 0.8432,
      freshness: { syncedAt: '2026-05-30T20:00:00.000Z', ageHours: 0.2 },
    });
  });

  it('has a url of null where there is none, and no freshness without a sync time', () => {
    expect(hitOf({ url: null, syncedAt: null })).toMatchObject({ url: null, freshness: null });
  });

  it('never has a negative age', () => {
    expect(hitOf({ syncedAt: new Date('2026-05-30T20:20:00Z') }).freshness?.ageHours).toBe(0);
  });

  describe('access policy', () => {
    const policy: AccessPolicy = {
      provider: 'slack',
      mode: 'acl',
      principals: ['user:a@x.org', 'user:b@x.org', 'channel:C1', 'anyone'],
      channelId: 'C1',
      isPrivate: true,
      memberIds: ['U1', 'U2'],
      owner: 'b@x.org',
      raw: { members: ['U1'] },
    };
    const head = { accessMode: 'acl' as const, accessPolicy: policy };

    it('comes back unchanged for service keys, null included', () => {
      expect(hitOf(head).accessPolicy).toEqual(policy);
      expect(hitOf({ accessPolicy: null, accessMode: 'unknown' }).accessPolicy).toBeNull();
    });

    it('tells a key with principals of no other reader', () => {
      expect(hitOf(head, { principals: ['user:a@x.org', 'channel:C9'] }).accessPolicy).toEqual({
        provider: 'slack',
        mode: 'acl',
        principals: ['user:a@x.org', 'anyone'],
        channelId: 'C1',
        isPrivate: true,
      });
    });

    it('keeps an identity that is the caller itself', () => {
      expect(hitOf(head, { principals: ['user:b@x.org'] }).accessPolicy).toMatchObject({ owner: 'b@x.org' });
    });
  });
});
