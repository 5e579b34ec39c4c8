import { Injectable } from '@nestjs/common';
import { v4 as randomUuid } from 'uuid';
import { RETENTION_KIND_NAMES, type AuditEventInput, type RetentionKind } from '@candor/contracts';
import { eraseTexts, writeAuditEvents, type TextErasure } from '@candor/audit';
import {
  Database,
  expireBatches,
  listRetentionRules,
  removeOutdated,
  type RetentionRule,
  type Transaction,
} from '@candor/persistence';

const ROWS_AT_ONCE = 1_000;
const DAY_MS = 86_400_000;

/** Removes what tenants keep no longer, some rows a commit: what is cut short goes on with the next round. */
@Injectable()
export class ApplyRetentionService {
  constructor(private readonly database: Database) {}

  /**
   * Records removed, of all tenants. One that fails keeps back nobody else's.
   * @throws the failure of the first such tenant, after the others are done
   */
  async applyAll(signal?: AbortSignal): Promise<number> {
    const rules = await this.database.system('retention').read((manager) => listRetentionRules(manager));
    let removed = 0;
    const failures: unknown[] = [];
    for (const rule of rules) {
      try {
        removed += await this.apply(rule, signal);
      } catch (error) {
        signal?.throwIfAborted();
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return removed;
  }

  private async apply({ tenantId, retention }: RetentionRule, signal: AbortSignal | undefined): Promise<number> {
    const counts: Partial<Record<RetentionKind, number>> = {};
    for (const kind of RETENTION_KIND_NAMES) {
      const days = retention[kind];
      if (days === undefined) continue;
      const before = new Date(Date.now() - days * DAY_MS);
      for (let more = true; more;) {
        signal?.throwIfAborted();
        const removed = await this.removeSome(tenantId, kind, before);
        if (removed > 0) counts[kind] = (counts[kind] ?? 0) + removed;
        more = kind === 'auditEvents' ? removed > 0 : removed >= ROWS_AT_ONCE;
      }
    }
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    if (total > 0)
      await this.database
        .system('retention')
        .transaction((transaction) => writeAuditEvents(transaction, [eventOf(tenantId, 'retention.apply', counts)]));
    return total;
  }

  private removeSome(tenantId: string, kind: RetentionKind, before: Date): Promise<number> {
    return this.database.system('retention').transaction((transaction) => {
      if (kind === 'auditEvents') return this.expire(transaction, tenantId, before);
      if (kind === 'queryText') return eraseTexts(transaction, ownRule(tenantId, before), ROWS_AT_ONCE);
      return removeOutdated(transaction, tenantId, kind, before, ROWS_AT_ONCE);
    });
  }

  /** With the event that lets the chain still be verified: without it, the gap would be a finding. */
  private async expire(transaction: Transaction, tenantId: string, before: Date): Promise<number> {
    const expired = await expireBatches(transaction, tenantId, before);
    if (!expired) return 0;
    const facts = { fromBatch: 1, ...expired };
    await writeAuditEvents(transaction, [eventOf(tenantId, 'audit.expire', facts)]);
    return expired.events;
  }
}

function ownRule(tenantId: string, before: Date): TextErasure {
  return {
    texts: { tenantId, before },
    cause: 'retention',
    requestId: randomUuid(),
    targetType: 'tenant',
    targetId: tenantId,
  };
}

function eventOf(
  tenantId: string,
  action: 'audit.expire' | 'retention.apply',
  metadata: Record<string, unknown>,
): AuditEventInput {
  return {
    tenantId,
    requestId: randomUuid(),
    action,
    outcome: 'succeeded',
    actorApiKeyId: null,
    actorType: 'service',
    targetType: 'tenant',
    targetId: tenantId,
    metadata,
  };
}
