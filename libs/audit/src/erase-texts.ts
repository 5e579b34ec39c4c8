import { eraseAuditTexts, type AuditTexts, type Transaction } from '@candor/persistence';
import { writeAuditEvents } from './audit-trail.js';
import type { ErasureRecord } from './chain/erasure-records.js';

export interface TextErasure {
  texts: AuditTexts;
  cause: Exclude<ErasureRecord['cause'], 'upgrade'>;
  requestId: string;
  /** Absent = nobody asked for it but the tenant's own rule. */
  requestedBy?: string | null;
  targetType: 'erasure' | 'tenant';
  targetId: string;
}

/**
 * Erases at most so many texts of earlier events, and records it in the same transaction: a text that is gone without such
 * a record is a finding of the verification.
 * @returns how many
 */
export async function eraseTexts(transaction: Transaction, erasure: TextErasure, limit: number): Promise<number> {
  const { texts, cause, requestId, requestedBy = null, targetType, targetId } = erasure;
  const events = await eraseAuditTexts(transaction, texts, limit);
  if (events === 0) return 0;
  const record: ErasureRecord = {
    cause,
    apiKeyIds: texts.apiKeyIds ? [...texts.apiKeyIds] : null,
    before: texts.before?.toISOString() ?? null,
    events,
  };
  await writeAuditEvents(transaction, [
    {
      tenantId: texts.tenantId,
      requestId,
      action: 'audit.erase',
      outcome: 'succeeded',
      actorApiKeyId: requestedBy,
      actorType: 'service',
      targetType,
      targetId,
      metadata: { ...record },
    },
  ]);
  return events;
}
