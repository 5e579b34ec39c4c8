import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { AuditEventInput } from '@candor/contracts';
import { splitErasable } from './split-erasable.js';

const eventOf = (metadata: Record<string, unknown>): AuditEventInput =>
  ({ action: 'search.query', metadata }) as unknown as AuditEventInput;

describe('splitErasable', () => {
  it('puts what may be erased apart, with the digest of its salt and canonical JSON', () => {
    const { metadata, erasable, erasableSalt, erasableDigest } = splitErasable(
      eventOf({ query: 'who\u0000?', hits: 1, externalId: 'mail-7' }),
    );
    expect(metadata).toEqual({ hits: 1 });
    expect(erasable).toEqual({ externalId: 'mail-7', query: 'who\ufffd?' });
    expect(erasableSalt).toMatch(/^[0-9a-f]{32}$/);
    const text = '{"externalId":"mail-7","query":"who\ufffd?"}';
    const salted = createHash('sha256').update(Buffer.from(erasableSalt ?? '', 'hex'));
    expect(erasableDigest).toBe(salted.update(text).digest('hex'));
  });

  it('salts each event anew: equal questions cannot be told from their digests', () => {
    const [one, other] = [splitErasable(eventOf({ query: 'x' })), splitErasable(eventOf({ query: 'x' }))];
    expect(one.erasableDigest).not.toBe(other.erasableDigest);
  });

  it('leaves events without such fields as they are', () => {
    expect(splitErasable(eventOf({ hits: 1, query: null }))).toEqual({
      ...eventOf({ hits: 1, query: null }),
      erasable: null,
      erasableSalt: null,
      erasableDigest: null,
    });
  });
});
