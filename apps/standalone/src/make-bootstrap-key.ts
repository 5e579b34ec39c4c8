import { randomBytes } from 'node:crypto';

/** A key as the gateway takes it in CANDOR_BOOTSTRAP_KEY. */
export function makeBootstrapKey(): string {
  return `gm_${randomBytes(8).toString('hex')}_${randomBytes(32).toString('hex')}`;
}
