import { createHash } from 'node:crypto';

/** SHA-256, lower-case hexadecimal: what the audit event keeps of a text. */
export function computeDigest(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
