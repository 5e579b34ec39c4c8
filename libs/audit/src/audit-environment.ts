import { AppError } from '@candor/contracts';
import { readKeys } from '@candor/runtime';
import { z } from 'zod';
import { AuditSigner } from './chain/audit-keys.js';

/** For configurations: the keys that the heads of the audit chains are signed with. */
export const auditEnvironment = {
  CANDOR_AUDIT_KEYS: z
    .string()
    .refine((text) => readKeys(text) !== null, 'must be <keyId>:<base64 of 32 bytes>, several with commas between')
    .describe(
      'Ed25519 seeds that sign the audit trail, `<keyId>:<base64 of 32 bytes>,…`; the first signs, the others are former ones. Only the worker has them.',
    ),
};

/** Errors: CONFIG.INVALID, without a value. */
export function createAuditSigner(keys: string): AuditSigner {
  const seeds = readKeys(keys);
  if (!seeds)
    throw new AppError('CONFIG.INVALID', {
      message: 'CANDOR_AUDIT_KEYS must be <keyId>:<base64 of 32 bytes>, several with commas between',
    });
  return new AuditSigner(seeds);
}
