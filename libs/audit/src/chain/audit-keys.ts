import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { AppError } from '@candor/contracts';

/** Key id → raw public key, base64. */
export type PublicKeys = ReadonlyMap<string, string>;

/** What stands before the 32 bytes of an Ed25519 key in DER (RFC 8410). */
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Signs heads with the first of the configured keys, and knows the public halves of all of them. */
export class AuditSigner {
  readonly keyId: string;
  readonly publicKeys: PublicKeys;
  private readonly privateKey: KeyObject;

  /** @param seeds key id → 32 bytes; the first signs. */
  constructor(seeds: ReadonlyMap<string, Buffer>) {
    const keys = [...seeds].map(([keyId, seed]) => ({ keyId, key: toPrivateKey(seed) }));
    const [first] = keys;
    if (!first) throw new AppError('CONFIG.INVALID', { message: 'There is no key to sign the audit trail with.' });
    this.keyId = first.keyId;
    this.privateKey = first.key;
    this.publicKeys = new Map(keys.map(({ keyId, key }) => [keyId, rawPublicKey(key)]));
  }

  /** @param digest hexadecimal. */
  sign(digest: string): string {
    return sign(null, Buffer.from(digest, 'hex'), this.privateKey).toString('base64');
  }
}

export function signatureHolds(digest: string, signature: string, publicKey: string): boolean {
  try {
    const key = createPublicKey({
      key: Buffer.concat([PUBLIC_PREFIX, Buffer.from(publicKey, 'base64')]),
      format: 'der',
      type: 'spki',
    });
    return verify(null, Buffer.from(digest, 'hex'), key, Buffer.from(signature, 'base64'));
  } catch {
    // What is no key or no signature at all proves nothing either.
    return false;
  }
}

function toPrivateKey(seed: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PRIVATE_PREFIX, seed]), format: 'der', type: 'pkcs8' });
}

function rawPublicKey(privateKey: KeyObject): string {
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  return Buffer.from(x ?? '', 'base64url').toString('base64');
}
