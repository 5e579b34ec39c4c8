import { Inject, Injectable } from '@nestjs/common';
import {
  AppError,
  DEFAULT_RECONCILE_MINUTES,
  DEFAULT_SYNC_MINUTES,
  invalidField,
  type CreateSourceBody,
  type listSourcesRoute,
  type QueryOf,
  type ResponseOf,
  type Source,
  type UpdateSourceBody,
} from '@candor/contracts';
import {
  beginRemoval,
  Database,
  endActiveRun,
  enqueue,
  findSource,
  findSourceOverview,
  insertSource,
  listSources,
  startSyncRun,
  updateCredentials,
  updateSource,
  type SourceConnector,
  type Transaction,
} from '@candor/persistence';
import { CredentialCipher, credentialOwner, requireRequestContext } from '@candor/runtime';
import { requireCaller } from '../../access/caller.js';
import { RequestTransaction } from '../../request/request-transaction.service.js';
import { ADDRESS_RULES } from '../../tokens.js';
import { listFields, readCredentials, readSettings } from './read-source-input.js';
import type { AddressRules } from './require-allowed-address.js';
import { noteSource, requireUsable, sourceNotFound, sourceViewer } from './source-access.js';
import { toSource } from './to-source.js';

@Injectable()
export class SourcesService {
  constructor(
    private readonly database: Database,
    private readonly requests: RequestTransaction,
    private readonly cipher: CredentialCipher,
    @Inject(ADDRESS_RULES) private readonly rules: AddressRules,
  ) {}

  async list(query: QueryOf<typeof listSourcesRoute>): Promise<ResponseOf<typeof listSourcesRoute>> {
    const page = await this.database.read((manager) => listSources(manager, sourceViewer(), query));
    return { data: page.rows.map(toSource), pagination: { cursor: page.cursor, hasMore: page.hasMore } };
  }

  async read(id: string): Promise<{ data: Source }> {
    noteSource(id);
    return this.database.read((manager) => this.show(manager, id));
  }

  create(body: CreateSourceBody): Promise<{ data: Source }> {
    const { scope } = requireCaller();
    if (scope.allowedProviders && !scope.allowedProviders.includes(body.provider))
      throw new AppError('AUTH.ACTION_NOT_ALLOWED', {
        message: 'provider is not one that this API key may use.',
        details: { field: 'provider' },
      });
    const { tenantId } = scope;
    const settings = readSettings(body.provider, body.settings, this.rules);
    const credentials = readCredentials(body.provider, body.credentials);
    const syncEveryMinutes = minutesOf(body.schedule, DEFAULT_SYNC_MINUTES);
    return this.requests.run(async (transaction) => {
      const id = await insertSource(
        transaction,
        tenantId,
        {
          provider: body.provider,
          name: body.name,
          settings,
          credentialFields: listFields(credentials),
          syncEveryMinutes,
          reconcileEveryMinutes: minutesOf(body.reconcile, DEFAULT_RECONCILE_MINUTES),
        },
        (sourceId) => this.cipher.seal(JSON.stringify(credentials), credentialOwner({ tenantId, id: sourceId })),
      );
      noteSource(id);
      requireRequestContext().audit.metadata['provider'] = body.provider;
      await this.announceSchedule(transaction, id);
      if (syncEveryMinutes !== null) {
        const apiKeyId = scope.apiKeyId;
        await startSyncRun(transaction, { tenantId, sourceId: id, mode: 'incremental', trigger: 'schedule', apiKeyId });
      }
      return this.show(transaction, id);
    });
  }

  update(id: string, body: UpdateSourceBody): Promise<{ data: Source }> {
    noteSource(id);
    return this.requests.run(async (transaction) => {
      const source = await this.lock(transaction, id);
      requireUsable(source);
      requireRequestContext().audit.metadata['changed'] = Object.keys(body);
      const settings = body.settings && readSettings(source.provider, body.settings, this.rules);
      if (settings && !body.credentials) refuseNewAddress(source.settings, settings);
      await updateSource(transaction, id, {
        name: body.name,
        state: body.state,
        settings,
        syncEveryMinutes: body.schedule === undefined ? undefined : minutesOf(body.schedule, null),
        reconcileEveryMinutes: body.reconcile === undefined ? undefined : minutesOf(body.reconcile, null),
      });
      // A run under the old settings would bring its cursor back.
      if (settings) await endActiveRun(transaction, id);
      if (body.credentials) {
        const credentials = readCredentials(source.provider, body.credentials);
        const sealed = this.cipher.seal(JSON.stringify(credentials), credentialOwner(source));
        await updateCredentials(transaction, id, sealed, listFields(credentials));
      }
      await this.announceSchedule(transaction, id);
      if (settings) await this.coverAnew(transaction, id);
      return this.show(transaction, id);
    });
  }

  /** Begins the removal, or begins one anew that is stuck. */
  remove(id: string): Promise<{ data: Source }> {
    const { scope } = requireCaller();
    const { requestId } = requireRequestContext();
    noteSource(id);
    return this.requests.run(async (transaction) => {
      await this.lock(transaction, id);
      await beginRemoval(transaction, {
        tenantId: scope.tenantId,
        sourceId: id,
        requestId,
        apiKeyId: scope.apiKeyId,
      });
      await this.announceSchedule(transaction, id);
      return this.show(transaction, id);
    });
  }

  /** What the settings newly cover comes in, and what they cover no more goes; sources without a schedule wait to be asked. */
  private async coverAnew(transaction: Transaction, id: string): Promise<void> {
    const source = await findSource(transaction, sourceViewer(), id);
    if (source?.state !== 'active' || source.syncEveryMinutes === null) return;
    const { tenantId, apiKeyId } = requireCaller().scope;
    await startSyncRun(transaction, { tenantId, sourceId: id, mode: 'full', trigger: 'schedule', apiKeyId });
  }

  private async lock(transaction: Transaction, id: string): Promise<SourceConnector> {
    const source = await findSource(transaction, sourceViewer(), id, { lock: true });
    if (!source) throw sourceNotFound();
    return source;
  }

  private async show(transaction: Transaction, id: string): Promise<{ data: Source }> {
    const found = await findSourceOverview(transaction, sourceViewer(), id);
    if (!found) throw sourceNotFound();
    return { data: toSource(found) };
  }

  /** The worker keeps the queue's schedules; through the outbox, so that it hears of it also while the queue is down. */
  private announceSchedule(transaction: Transaction, sourceId: string): Promise<void> {
    const { tenantId } = requireCaller().scope;
    const { requestId } = requireRequestContext();
    const payload = { tenantId, requestId, sourceId };
    return enqueue(transaction, [{ tenantId, jobName: 'source.schedule', payload }]);
  }
}

/** Stored credentials go to no address but the one that they were given for. */
function refuseNewAddress(before: Record<string, unknown>, after: Record<string, unknown>): void {
  const changed = ['baseUrl', 'tokenUrl'].find((field) => before[field] !== after[field]);
  if (changed === undefined) return;
  throw invalidField(
    'credentials',
    `must be given with a changed settings.${changed}; settings are replaced as a whole`,
  );
}

function minutesOf<Fallback extends number | null>(
  interval: { everyMinutes: number } | null | undefined,
  fallback: Fallback,
): number | null {
  return interval === undefined ? fallback : (interval?.everyMinutes ?? null);
}
