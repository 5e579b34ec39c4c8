import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export const API_KEY_PATTERN = /^gm_([A-Za-z0-9]{8,64})_([A-Za-z0-9]{16,128})$/;

export interface ApiKeySecret {
  /** The key as the caller sends it; shown once. */
  key: string;
  publicId: string;
  secretSha256: Buffer;
}

function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Null when the text does not look like a key of ours. */
export function parseApiKey(key: string): ApiKeySecret | null {
  const [, publicId, secret] = API_KEY_PATTERN.exec(key) ?? [];
  if (publicId === undefined || secret === undefined) return null;
  return { key, publicId, secretSha256: hashSecret(secret) };
}

export function generateApiKey(): ApiKeySecret {
  const publicId = randomBytes(8).toString('hex');
  const secret = randomBytes(32).toString('hex');
  return { key: `gm_${publicId}_${secret}`, publicId, secretSha256: hashSecret(secret) };
}

/** `Authorization: API-Key <key>` or `Bearer <key>`; undefined when the header is neither. */
export function keyFromHeader(header: string | undefined): string | undefined {
  return /^(?:API-Key|Bearer)\s+(\S+)\s*$/i.exec(header ?? '')?.[1];
}

export function sameSecret(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}
