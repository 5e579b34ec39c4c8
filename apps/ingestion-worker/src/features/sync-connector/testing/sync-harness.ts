import { randomBytes } from 'node:crypto';
import {
  syncSourceJob,
  type AppError,
  type SourceProvider,
  type SyncMode,
  type SyncSourcePayload,
} from '@candor/contracts';
import {
  findRunState,
  findSourceById,
  insertSource,
  listSyncFailures,
  startSyncRun,
  type Database,
  type SourceConnector as StoredSource,
  type SyncFailureRecord,
  type SyncRunRecord,
} from '@candor/persistence';
import { TestTenant } from '@candor/persistence/testing';
import type { JobProducer } from '@candor/queue';
import { CredentialCipher, credentialOwner } from '@candor/runtime';
import type { ConnectorOptions } from '../../../connectors/connector-options.js';
import { OpenConnectorService } from '../../../connectors/open-connector.service.js';
import type { SourceConnector } from '../../../connectors/source-connector.port.js';
import { RemoveSourceService } from '../../manage-source/remove-source.service.js';
import { SourceSweeperService } from '../../manage-source/source-sweeper.service.js';
import { CompareIdsService } from '../compare-ids.service.js';
import { EndRunService } from '../end-run.service.js';
import { LoadItemsService } from '../load-items.service.js';
import { StoreBatchService } from '../store-batch.service.js';
import { DEFAULT_SYNC_LIMITS, type SyncLimits } from '../sync-limits.js';
import { SyncSliceService } from '../sync-slice.service.js';
import { SyncSourceProcessor } from '../sync-source.processor.js';
import { ScriptedConnector } from './scripted.connector.js';

export interface StoredItem {
  id: string;
  external_id: string;
  title: string;
  url: string | null;
  author_name: string | null;
  access_mode: string;
  principals: string[];
  latest_version: number;
  synced_at: Date;
  deleted_at: Date | null;
}

/** What a source is created with. */
export interface TestAccount {
  provider: SourceProvider;
  credentials: Record<string, string>;
}

const NOTES: TestAccount = { provider: 'notion', credentials: { token: 'planted-token' } };

/** One source with a scripted provider, worked on as the worker would, job by job, over the real database. */
export class SyncHarness {
  readonly connector = new ScriptedConnector();
  readonly limits: SyncLimits = { ...DEFAULT_SYNC_LIMITS, maxBatches: 2, heartbeatMs: 50 };
  /** Opened instead of the scripted one. */
  open: ((overrides: Pick<ConnectorOptions, 'retry'> | undefined) => SourceConnector) | null = null;
  /** What the queue says about the job of a slice. */
  isPending = false;
  readonly processor: SyncSourceProcessor;
  readonly removals: RemoveSourceService;
  readonly sweeper: SourceSweeperService;
  readonly slices: SyncSliceService;

  private constructor(
    readonly database: Database,
    readonly tenant: TestTenant,
    readonly sourceId: string,
    /** As in `CANDOR_ENCRYPTION_KEYS`. */
    readonly keys: string,
    readonly cipher: CredentialCipher,
  ) {
    const connectors = new OpenConnectorService(
      database,
      cipher,
      (_provider, _settings, _credentials, overrides) => this.open?.(overrides) ?? this.connector,
    );
    const batches = new StoreBatchService(database, {}, this.limits);
    const items = new LoadItemsService(database, this.limits);
    const ids = new CompareIdsService(database, batches, this.limits);
    this.slices = new SyncSliceService(database, connectors, items, batches, ids, this.limits);
    this.processor = new SyncSourceProcessor(database, this.slices, new EndRunService(database), this.limits);
    this.removals = new RemoveSourceService(database);
    const producer: Pick<JobProducer, 'isPending'> = { isPending: async () => this.isPending };
    this.sweeper = new SourceSweeperService(database, producer as JobProducer);
  }

  static async create(database: Database, account = NOTES): Promise<SyncHarness> {
    const tenant = await TestTenant.create(database);
    const keys = `test:${randomBytes(32).toString('base64')}`;
    const cipher = new CredentialCipher(keys);
    const sourceId = await database.transaction((transaction) =>
      insertSource(
        transaction,
        tenant.id,
        {
          provider: account.provider,
          name: 'Notes',
          settings: {},
          credentialFields: Object.keys(account.credentials),
          syncEveryMinutes: 15,
          reconcileEveryMinutes: 1_440,
        },
        (id) => cipher.seal(JSON.stringify(account.credentials), credentialOwner({ tenantId: tenant.id, id })),
      ),
    );
    return new SyncHarness(database, tenant, sourceId, keys, cipher);
  }

  query<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return this.database.read((manager) => manager.query<Row[]>(sql, parameters));
  }

  async start(mode: SyncMode = 'incremental'): Promise<string> {
    const { run } = await this.database.transaction((transaction) =>
      startSyncRun(transaction, {
        tenantId: this.tenant.id,
        sourceId: this.sourceId,
        mode,
        trigger: 'request',
        apiKeyId: null,
      }),
    );
    return run.id;
  }

  /** Takes the next job of the source out of the outbox; null when there is none. */
  async takeJob<Payload>(jobName: string): Promise<Payload | null> {
    const [rows] = await this.database.transaction((transaction) =>
      transaction.query<[{ payload: Payload }[], number]>(
        `DELETE FROM outbox WHERE id = (SELECT min(id) FROM outbox WHERE tenant_id = $1 AND job_name = $2)
         RETURNING payload`,
        [this.tenant.id, jobName],
      ),
    );
    return rows[0]?.payload ?? null;
  }

  /** One slice; false when none is waiting. */
  async workOnce(signal: AbortSignal = new AbortController().signal): Promise<boolean> {
    const job = await this.takeJob<SyncSourcePayload>(syncSourceJob.name);
    if (!job) return false;
    await this.processor.sync(job, { signal });
    return true;
  }

  /** Until no slice is waiting. */
  async work(): Promise<number> {
    let slices = 0;
    while (await this.workOnce()) slices += 1;
    return slices;
  }

  /** Until a run has ended, as if no time had to pass between its slices; at most so many rounds. */
  async workThrough(id: string, rounds = 50): Promise<SyncRunRecord> {
    for (let round = 0; round < rounds && (await this.run(id)).endedAt === null; round += 1) {
      await this.work();
      await this.outrunLease();
      await this.sweeper.sweep();
    }
    return this.run(id);
  }

  /** A whole run, by itself. */
  async sync(mode: SyncMode = 'incremental'): Promise<SyncRunRecord> {
    const id = await this.start(mode);
    await this.work();
    return this.run(id);
  }

  async run(id: string): Promise<SyncRunRecord> {
    const run = await this.database.read((manager) => findRunState(manager, id));
    if (!run) throw new Error('no such run');
    return run;
  }

  async source(): Promise<StoredSource> {
    const source = await this.database.read((manager) => findSourceById(manager, this.sourceId));
    if (!source) throw new Error('no such source');
    return source;
  }

  failures(runId: string): Promise<SyncFailureRecord[]> {
    return this.database.read((manager) => listSyncFailures(manager, runId, 1_000));
  }

  /** By external id; deleted ones included. */
  async items(): Promise<Map<string, StoredItem>> {
    const rows = await this.query<StoredItem>('SELECT * FROM source_items WHERE connector_id = $1', [this.sourceId]);
    return new Map(rows.map((row) => [row.external_id, row]));
  }

  async bodies(externalId: string): Promise<(string | null)[]> {
    const rows = await this.query<{ body: string | null }>(
      `SELECT v.body FROM item_versions v JOIN source_items i ON i.id = v.item_id
       WHERE i.connector_id = $1 AND i.external_id = $2 ORDER BY v.version`,
      [this.sourceId, externalId],
    );
    return rows.map(({ body }) => body);
  }

  async auditActions(): Promise<string[]> {
    const rows = await this.query<{ action: string }>(
      'SELECT action FROM audit_events WHERE tenant_id = $1 ORDER BY sequence',
      [this.tenant.id],
    );
    return rows.map(({ action }) => action);
  }

  /** As if so much time had passed for the run. */
  async outrunLease(): Promise<void> {
    await this.query(
      `UPDATE sync_runs SET lease_until = now() - interval '1 second', waiting_until = least(waiting_until, now())
       WHERE source_id = $1 AND lease_until IS NOT NULL`,
      [this.sourceId],
    );
  }

  refuse(...errors: AppError[]): void {
    this.connector.refusals.push(...errors);
  }
}
