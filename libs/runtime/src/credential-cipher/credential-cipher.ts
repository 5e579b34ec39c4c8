import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { AppError } from '@candor/contracts';
import { z } from 'zod';
import { readKeys } from './read-keys.js';

const ALGORITHM = 'aes-256-gcm';
/** 96 bits, as NIST SP 800-38D advises; random, so a key is good for some billions of writes. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface SealedText {
  /** Which key opens it. */
  keyId: string;
  /** nonce (12 bytes) · tag (16 bytes) · encrypted text. */
  ciphertext: Buffer;
}

/** For configurations: the keys that stored credentials are encrypted with. */
export const encryptionEnvironment = {
  CANDOR_ENCRYPTION_KEYS: z
    .string()
    .refine((text) => readKeys(text) !== null, 'must be <keyId>:<base64 of 32 bytes>, several with commas between')
    .describe(
      'Keys of the stored credentials, `<keyId>:<base64 of 32 bytes>,…`; the first is used for writing, the others still read. The same for gateway and worker.',
    ),
};

/** The owner of a source's credentials: bound to its row, whatever else is copied about in the database. */
export function credentialOwner(source: { tenantId: string; id: string }): string {
  return `${source.tenantId}:${source.id}`;
}

/** Encrypts credentials with AES-256-GCM. A ciphertext opens only for the owner that it was sealed for. */
export class CredentialCipher {
  private readonly keys: ReadonlyMap<string, Buffer>;
  /** The key that is used for writing. */
  readonly keyId: string;

  /** @param keys as in `CANDOR_ENCRYPTION_KEYS`. @throws AppError CONFIG.INVALID, without a value. */
  constructor(keys: string) {
    const read = readKeys(keys);
    const first = read?.keys().next().value;
    if (!read || first === undefined)
      throw new AppError('CONFIG.INVALID', {
        message: 'Encryption keys must be <keyId>:<base64 of 32 bytes>, several with commas between.',
      });
    this.keys = read;
    this.keyId = first;
  }

  /** @param owner whose text it is: another owner's row can't be put in its place. */
  seal(text: string, owner: string): SealedText {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.requireKey(this.keyId), nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(owner));
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return { keyId: this.keyId, ciphertext: Buffer.concat([nonce, cipher.getAuthTag(), encrypted]) };
  }

  /** @throws AppError CONNECTOR.CREDENTIALS_UNREADABLE: the key is not among ours, or text or owner are not the sealed ones. */
  open({ keyId, ciphertext }: SealedText, owner: string): string {
    const key = this.requireKey(keyId);
    try {
      const nonce = ciphertext.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(owner));
      decipher.setAuthTag(ciphertext.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const text = ciphertext.subarray(NONCE_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
    } catch (cause) {
      throw new AppError('CONNECTOR.CREDENTIALS_UNREADABLE', { cause });
    }
  }

  private requireKey(keyId: string): Buffer {
    const key = this.keys.get(keyId);
    if (!key) throw new AppError('CONNECTOR.CREDENTIALS_UNREADABLE', { details: { keyId } });
    return key;
  }
}
