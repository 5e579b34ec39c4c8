import { writeAuditEvents } from '@candor/audit';
import { readErasureCounts, type ErasureRow, type Transaction } from '@candor/persistence';

/** In the chain of what was erased, and in that of whoever asked: the one may be gone some day, or belong to nobody. */
export async function certifyErasure(transaction: Transaction, erasure: ErasureRow): Promise<void> {
  const { id, tenantId, kind, requestId, requestedBy, requestedIn } = erasure;
  const counts = await readErasureCounts(transaction, id);
  await writeAuditEvents(
    transaction,
    [...new Set([tenantId, requestedIn])].map((recordedIn) => ({
      tenantId: recordedIn,
      requestId,
      action: kind === 'tenant' ? 'tenant.erased' : 'person.erased',
      outcome: 'succeeded',
      actorApiKeyId: requestedBy,
      actorType: 'service',
      targetType: 'erasure',
      targetId: id,
      metadata: { tenantId, counts, remaining: 0 },
    })),
  );
}
