import { Injectable } from '@nestjs/common';
import { v4 as randomUuid } from 'uuid';
import {
  AppError,
  invalidField,
  type CreateErasureBody,
  type createErasureRoute,
  type Erasure,
  type listErasuresRoute,
  type QueryOf,
  type ResponseOf,
} from '@candor/contracts';
import { writeAuditEvents } from '@candor/audit';
import {
  closeTenant,
  countAuditTexts,
  countOfPerson,
  countTenantRows,
  Database,
  findErasure,
  findInstallationKey,
  findTenant,
  insertErasure,
  isUniqueViolation,
  listErasures,
  listTenantTables,
  ONE_ERASURE_OF_A_TENANT,
  type ErasureRow,
  type TenantEntity,
  type Transaction,
} from '@candor/persistence';
import { requireRequestContext } from '@candor/runtime';
import { requireCaller } from '../../access/caller.js';
import { eventOf, RequestTransaction } from '../../request/request-transaction.service.js';

type Answer = ResponseOf<typeof createErasureRoute>;
type Body<Kind extends CreateErasureBody['kind']> = Extract<CreateErasureBody, { kind: Kind }>;

@Injectable()
export class ErasuresService {
  constructor(
    private readonly database: Database,
    private readonly requests: RequestTransaction,
  ) {}

  /** From the commit on nothing of the tenant answers; the worker removes what is stored. */
  async eraseTenant({ tenantId, confirm, dryRun }: Body<'tenant'>): Promise<Answer> {
    const tenant = await this.requireErasable(tenantId);
    if (confirm !== tenant.name) throw invalidField('confirm', "must be the tenant's name");
    this.note('tenant', dryRun, tenant.id);
    const system = this.database.system('tenants');
    const found = await system.read(async (manager) => ({
      ...(await countTenantRows(manager, await listTenantTables(manager), tenant.id)),
      audit_texts: await countAuditTexts(manager, { tenantId: tenant.id }),
    }));
    if (dryRun) return { data: { erasure: null, found } };
    return this.begin(tenant.id, null, found);
  }

  async erasePerson({ apiKeyIds, authorNames, dryRun }: Body<'person'>): Promise<Answer> {
    const { scope, apiKey } = requireCaller();
    if (apiKeyIds.length + authorNames.length === 0)
      throw invalidField('apiKeyIds', 'must name a key, or authorNames a name');
    if (apiKeyIds.includes(apiKey.id)) throw new AppError('API_KEY.SELF_REVOKE');
    const first = await this.database.read((manager) => findInstallationKey(manager));
    // It administers the tenants and stands for nobody; only whoever has it changes it.
    if (first && apiKeyIds.includes(first.id))
      throw invalidField('apiKeyIds', "must not name the installation's first key");
    this.note('person', dryRun, scope.tenantId);
    const person = { apiKeyIds, authorNames };
    const { tenantId } = scope;
    const found = await this.database.read(async (manager) => ({
      ...(await countOfPerson(manager, tenantId, person)),
      audit_texts: await countAuditTexts(manager, { tenantId, apiKeyIds }),
    }));
    if (dryRun) return { data: { erasure: null, found } };
    return this.begin(tenantId, person, found);
  }

  async list(query: QueryOf<typeof listErasuresRoute>): Promise<ResponseOf<typeof listErasuresRoute>> {
    const { scope } = requireCaller();
    // Those that this tenant asked for may be of another one.
    const page = await this.database.system('tenants').read((manager) => listErasures(manager, scope.tenantId, query));
    return { data: page.rows.map(toView), pagination: { cursor: page.cursor, hasMore: page.hasMore } };
  }

  async read(id: string): Promise<{ data: Erasure }> {
    const { scope } = requireCaller();
    Object.assign(requireRequestContext().audit, { targetType: 'erasure', targetId: id });
    const found = await this.database.system('tenants').read((manager) => findErasure(manager, scope.tenantId, id));
    if (!found) throw new AppError('RESOURCE.NOT_FOUND', { message: 'There is no such erasure.' });
    return { data: toView(found) };
  }

  private async requireErasable(tenantId: string | undefined): Promise<TenantEntity> {
    const { tenant: own, apiKey } = requireCaller();
    if (tenantId !== undefined && tenantId !== own.id && !apiKey.isInstallationKey)
      throw new AppError('AUTH.ACTION_NOT_ALLOWED', {
        message: "Only the installation's first key can erase another tenant.",
      });
    const tenant =
      tenantId === undefined || tenantId === own.id
        ? own
        : await this.database.system('tenants').read((manager) => findTenant(manager, tenantId));
    if (!tenant || tenant.erasedAt) throw new AppError('RESOURCE.NOT_FOUND', { message: 'There is no such tenant.' });
    if (tenant.isDefault)
      throw new AppError('RESOURCE.CONFLICT', {
        message: "The installation's own tenant can't be erased: its key administers the others.",
      });
    return tenant;
  }

  private note(kind: CreateErasureBody['kind'], dryRun: boolean, tenantId: string): void {
    const { audit } = requireRequestContext();
    Object.assign(audit, { targetType: 'tenant', targetId: tenantId });
    Object.assign(audit.metadata, { kind, dryRun });
  }

  private async begin(
    tenantId: string,
    subject: ErasureRow['subject'],
    found: Answer['data']['found'],
  ): Promise<Answer> {
    const { scope } = requireCaller();
    const context = requireRequestContext();
    const erase = async (transaction: Transaction): Promise<Answer> => {
      if (subject === null) await closeTenant(transaction, tenantId);
      const erasure = await insertErasure(transaction, {
        id: randomUuid(),
        tenantId,
        kind: subject === null ? 'tenant' : 'person',
        subject,
        step: subject === null ? 'queue' : 'rows',
        requestId: context.requestId,
        requestedBy: scope.apiKeyId,
        requestedIn: scope.tenantId,
      });
      context.audit.metadata['erasureId'] = erasure.id;
      if (tenantId !== scope.tenantId)
        await writeAuditEvents(transaction, [{ ...eventOf(context, 'accepted'), tenantId }]);
      return { data: { erasure: toView(erasure), found } };
    };
    try {
      return await this.requests.run(erase, { alsoOf: tenantId });
    } catch (error) {
      // Two that ask at once both find it there to be erased.
      if (isUniqueViolation(error, ONE_ERASURE_OF_A_TENANT))
        throw new AppError('RESOURCE.CONFLICT', { message: 'The tenant is being erased already.', cause: error });
      throw error;
    }
  }
}

function toView({ id, kind, tenantId, state, step, counts, createdAt, endedAt }: ErasureRow): Erasure {
  return {
    id,
    kind,
    tenantId,
    state,
    step,
    counts,
    createdAt: createdAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
  };
}
