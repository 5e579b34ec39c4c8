import { Injectable } from '@nestjs/common';
import {
  RETENTION_KIND_NAMES,
  type previewRetentionRoute,
  type ResponseOf,
  type Retention,
  type TenantSettings,
  type UpdateTenantBody,
} from '@candor/contracts';
import { writeAuditEvents } from '@candor/audit';
import { countOutdated, Database, lockTenant, updateTenant, type TenantEntity } from '@candor/persistence';
import { requireRequestContext } from '@candor/runtime';
import { requireCaller } from '../../access/caller.js';
import { eventOf, RequestTransaction } from '../../request/request-transaction.service.js';

const DAY_MS = 86_400_000;

@Injectable()
export class TenantSettingsService {
  constructor(
    private readonly database: Database,
    private readonly requests: RequestTransaction,
  ) {}

  read(): { data: TenantSettings } {
    return { data: toSettings(requireCaller().tenant) };
  }

  /** A change of consent has an event of its own: it is what an auditor asks for. */
  update({ retention, ...change }: UpdateTenantBody): Promise<{ data: TenantSettings }> {
    const { id } = requireCaller().tenant;
    const context = requireRequestContext();
    Object.assign(context.audit, { targetType: 'tenant', targetId: id });
    context.audit.metadata['changed'] = Object.keys({ ...change, ...(retention ? { retention } : {}) });
    if (retention) context.audit.metadata['retention'] = retention;
    return this.requests.run(async (transaction) => {
      // As it is now, and not as the key was read with: of two changes at once neither undoes the other.
      const tenant = await lockTenant(transaction, id);
      const changed = await updateTenant(transaction, id, {
        ...change,
        ...(retention ? { retention: mergeRetention(tenant.retention, retention) } : {}),
      });
      const [before, after] = [allowsExternal(tenant), allowsExternal(changed)];
      if (before !== after || change.externalModels !== undefined) {
        const action = after ? 'consent.give' : 'consent.withdraw';
        const event = eventOf(context, 'succeeded');
        await writeAuditEvents(transaction, [
          { ...event, action, metadata: { stated: changed.externalModels, before, after } },
        ]);
      }
      return { data: toSettings(changed) };
    });
  }

  async previewRetention(): Promise<ResponseOf<typeof previewRetentionRoute>> {
    const { tenant } = requireCaller();
    const counts = await Promise.all(
      RETENTION_KIND_NAMES.map(async (kind) => {
        const days = tenant.retention[kind];
        if (days === undefined) return [kind, 0] as const;
        const before = new Date(Date.now() - days * DAY_MS);
        return [kind, await this.database.read((manager) => countOutdated(manager, tenant.id, kind, before))] as const;
      }),
    );
    return { data: Object.fromEntries(counts) as Record<(typeof RETENTION_KIND_NAMES)[number], number> };
  }
}

function allowsExternal({ externalModels, isDefault }: TenantEntity): boolean {
  return externalModels ?? isDefault;
}

function mergeRetention(kept: Record<string, number>, change: Partial<Retention>): Record<string, number> {
  const merged = Object.entries({ ...kept, ...change });
  return Object.fromEntries(merged.filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
}

function toSettings(tenant: TenantEntity): TenantSettings {
  const { id, name, isDefault, auditQueryText, externalModels, retention } = tenant;
  const days = Object.fromEntries(RETENTION_KIND_NAMES.map((kind) => [kind, retention[kind] ?? null]));
  return {
    id,
    name,
    isDefault,
    auditQueryText,
    externalModels,
    externalModelsAllowed: allowsExternal(tenant),
    retention: days as unknown as Retention,
    createdAt: tenant.createdAt.toISOString(),
  };
}
