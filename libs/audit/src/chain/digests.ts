import { createHash } from 'node:crypto';
import type { ChainEvent, ChainLeaf } from '@candor/contracts';
import { canonicalJson } from './canonical-json.js';
import type { ChainHead } from './chain-model.js';

/** Part of every digest: another way of writing things down is another version. */
const VERSION = 1;

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

/** Of an event without what is erasable: of that, only the salted digest. */
export function digestEvent(event: ChainEvent): string {
  const { erasable: _erasable, erasableSalt: _salt, ...sealed } = event;
  return sha256(canonicalJson({ version: VERSION, ...sealed }));
}

/** Whether the erasable fields are the ones that the event was sealed with, or are gone together with their salt. */
export function erasableHolds({ erasable, erasableSalt, erasableDigest }: ChainEvent): boolean {
  if (erasable === null && erasableSalt === null) return true;
  if (erasable === null || erasableSalt === null || erasableDigest === null) return false;
  const salted = createHash('sha256').update(Buffer.from(erasableSalt, 'hex'));
  return salted.update(canonicalJson(erasable), 'utf8').digest('hex') === erasableDigest;
}

export function wasErased({ erasable, erasableDigest }: Pick<ChainEvent, 'erasable' | 'erasableDigest'>): boolean {
  return erasableDigest !== null && erasable === null;
}

/** Of the lines `<event id> <digest>`, each with a line break: `sha256sum` gives the same. */
export function digestLeaves(leaves: readonly ChainLeaf[]): string {
  return sha256(leaves.map(({ eventId, digest }) => `${eventId} ${digest}\n`).join(''));
}

export function digestHead(head: ChainHead): string {
  const { tenantId, batch, previousDigest, events, leavesDigest, sealedAt, keyId } = head;
  return sha256(
    canonicalJson({ version: VERSION, tenantId, batch, previousDigest, events, leavesDigest, sealedAt, keyId }),
  );
}
