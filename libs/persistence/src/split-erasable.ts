import { createHash, randomBytes } from 'node:crypto';
import { ERASABLE_METADATA, type AuditEventInput } from '@candor/contracts';
import { toStorableJson } from './to-storable-json.js';

/** 128 bits: what was erased can't be found again by trying likely texts. */
const SALT_BYTES = 16;

export interface StoredAuditEvent extends AuditEventInput {
  erasable: Record<string, unknown> | null;
  /** Hexadecimal, as the digest. */
  erasableSalt: string | null;
  erasableDigest: string | null;
}

/** Puts what may be erased later beside the rest, with the salted digest that the chain commits to instead. */
export function splitErasable(event: AuditEventInput): StoredAuditEvent {
  const names = ERASABLE_METADATA.filter((name) => typeof event.metadata[name] === 'string').sort();
  if (names.length === 0) return { ...event, erasable: null, erasableSalt: null, erasableDigest: null };
  // Sorted and as it is stored, so that it is the canonical JSON (RFC 8785) of what is read back.
  const canonical = toStorableJson(Object.fromEntries(names.map((name) => [name, event.metadata[name]])));
  const salt = randomBytes(SALT_BYTES);
  return {
    ...event,
    metadata: Object.fromEntries(
      Object.entries(event.metadata).filter(([name]) => !(names as string[]).includes(name)),
    ),
    erasable: JSON.parse(canonical) as Record<string, unknown>,
    erasableSalt: salt.toString('hex'),
    erasableDigest: createHash('sha256').update(salt).update(canonical, 'utf8').digest('hex'),
  };
}
