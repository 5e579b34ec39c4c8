import { DataSource, type DataSourceOptions, type EntityManager, type QueryRunner } from 'typeorm';
import { AppError } from '@candor/contracts';
import { ApiKeyEntity, ApiKeySecretEntity } from './entities/api-key.entity.js';
import { AuditEventEntity } from './entities/audit-event.entity.js';
import { ChunkEntity } from './entities/chunk.entity.js';
import { CollectionEntity, CollectionItemEntity } from './entities/collection.entity.js';
import { DeadLetterEntity } from './entities/dead-letter.entity.js';
import { GenerationEntity } from './entities/generation.entity.js';
import { ItemVersionEntity, SourceItemEntity } from './entities/source-item.entity.js';
import { TenantEntity } from './entities/tenant.entity.js';
import { isConnectionFailure, isStatementTimeout } from './is-connection-failure.js';
import { InitialSchema1764000000000 } from './migrations/1764000000000-initial-schema.js';
import { SourceConnectors1764100000000 } from './migrations/1764100000000-source-connectors.js';
import { ItemFiles1764200000000 } from './migrations/1764200000000-item-files.js';
import { GenerationBuilds1764300000000 } from './migrations/1764300000000-generation-builds.js';
import { IngestionOverview1764400000000 } from './migrations/1764400000000-ingestion-overview.js';
import { Library1764500000000 } from './migrations/1764500000000-library.js';
import { DeclarationHistory1764600000000 } from './migrations/1764600000000-declaration-history.js';
import { Reasoning1764700000000 } from './migrations/1764700000000-reasoning.js';
import { OutboxLanes1764800000000 } from './migrations/1764800000000-outbox-lanes.js';
import { AuditSealing1764940000001 } from './migrations/1764940000001-audit-sealing.js';
import { TenantCompliance1764940000002 } from './migrations/1764940000002-tenant-compliance.js';
import { ReasoningHistory1764900000001 } from './migrations/1764900000001-reasoning-history.js';
import { FeedbackCorpus1764900000002 } from './migrations/1764900000002-feedback-corpus.js';
import { ItemWaits1764920000000 } from './migrations/1764920000000-item-waits.js';
import { RowLevelSecurity1764930000000 } from './migrations/1764930000000-row-level-security.js';
import { Quotas1764930000001 } from './migrations/1764930000001-quotas.js';
import { SupersedingItemsAtOnce1764960000001 } from './migrations/1764960000001-superseding-items-at-once.js';
import { SplitOlderEvents1764990000000 } from './migrations/1764990000000-split-older-events.js';
import { SupersedingWithinATenant1764990000010 } from './migrations/1764990000010-superseding-within-a-tenant.js';
import { AuditRecords1764990000100 } from './migrations/1764990000100-audit-records.js';
import { ReadableSchemaVersion1764990000101 } from './migrations/1764990000101-readable-schema-version.js';
import { AuditRecordIndex1764990000200 } from './migrations/1764990000200-audit-record-index.js';
import { UnstoredIds1764990000300 } from './migrations/1764990000300-unstored-ids.js';
import { HidingItemsAtOnce1764990000400 } from './migrations/1764990000400-hiding-items-at-once.js';
import { CandorClient } from './scope/candor-client.js';
import {
  activeScope,
  ambientScope,
  NOTHING,
  OWNER,
  runInScope,
  systemScope,
  tenantScope,
} from './scope/database-scope.js';
import type { DatabaseScope } from './scope/database-scope.js';
import { mayMigrate, requireCurrentSchema } from './scope/check-schema.js';
import { ensureRoles, isMissingRole } from './scope/ensure-roles.js';
import { SCOPE_STATEMENT, scopeValues } from './scope/scoped-query.js';
import type { SystemPurpose } from './scope/system-purposes.js';

/** Repositories take one as their first parameter, so that a change and its audit event commit together. */
export type Transaction = EntityManager;

export interface DatabaseOptions {
  url: string;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  poolSize?: number;
  /** For processes that must not write. */
  readOnly?: boolean;
  /** Of the two roles that statements run as, `<prefix>_app` and `<prefix>_system`; default `candor`. */
  rolePrefix?: string;
  /**
   * Whose rows there are where nobody said it: default `nobody`. `owner` is for tests and for bare servers, which have
   * no roles of ours: statements run as whoever the URL names.
   */
  unscoped?: 'nobody' | 'owner';
}

/** What repositories are used with. */
export interface TransactionRunner {
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  /** For single statements that need no transaction of their own. */
  read<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  /** For several statements that have to see the same state: nothing that commits meanwhile. They can't write. */
  snapshot<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
}

export const DEFAULT_ROLE_PREFIX = 'candor';
/** It stands in statements as it is. */
export const ROLE_PREFIX = /^[a-z][a-z0-9_]{0,50}$/;

const ENTITIES = [
  ApiKeyEntity,
  ApiKeySecretEntity,
  AuditEventEntity,
  ChunkEntity,
  CollectionEntity,
  CollectionItemEntity,
  DeadLetterEntity,
  GenerationEntity,
  ItemVersionEntity,
  SourceItemEntity,
  TenantEntity,
];

/** Any key; all Candor processes must use the same one. */
const MIGRATION_LOCK = 4_211_970;

const STATEMENT_TIMEOUT_MS = 30_000;

function dataSourceOptions(options: DatabaseOptions, session: Record<string, unknown>): DataSourceOptions {
  return {
    type: 'postgres',
    url: options.url,
    applicationName: options.applicationName,
    synchronize: false,
    logging: false,
    entities: ENTITIES,
    migrations: [
      InitialSchema1764000000000,
      SourceConnectors1764100000000,
      ItemFiles1764200000000,
      GenerationBuilds1764300000000,
      IngestionOverview1764400000000,
      Library1764500000000,
      DeclarationHistory1764600000000,
      Reasoning1764700000000,
      OutboxLanes1764800000000,
      ReasoningHistory1764900000001,
      FeedbackCorpus1764900000002,
      ItemWaits1764920000000,
      RowLevelSecurity1764930000000,
      Quotas1764930000001,
      AuditSealing1764940000001,
      TenantCompliance1764940000002,
      SupersedingItemsAtOnce1764960000001,
      SplitOlderEvents1764990000000,
      SupersedingWithinATenant1764990000010,
      AuditRecords1764990000100,
      ReadableSchemaVersion1764990000101,
      AuditRecordIndex1764990000200,
      UnstoredIds1764990000300,
      HidingItemsAtOnce1764990000400,
    ],
    migrationsTransactionMode: 'each',
    poolSize: options.poolSize ?? 10,
    // Otherwise an idle client's error event would end the process when the server goes away.
    poolErrorHandler: () => undefined,
    extra: { Client: CandorClient, connectionTimeoutMillis: 3_000, keepAlive: true, ...session },
  };
}

/**
 * Whose rows can be seen and changed is decided here and kept by the server (docs/adr/0020): those of the tenant that the
 * request or job at hand belongs to, of the tenants named with `forTenants`, of everybody with `system`; else none.
 * Errors: DEPENDENCY.DATABASE_UNAVAILABLE whenever the server can't be reached or is shutting down, DEPENDENCY.DATABASE_TIMEOUT
 * when a statement took longer than it may.
 */
export class Database implements TransactionRunner {
  private readonly dataSource: DataSource;
  private readonly rolePrefix: string;
  private readonly unscoped: DatabaseScope;
  private connecting: Promise<unknown> | undefined;
  private isAtRelease = false;

  constructor(private readonly options: DatabaseOptions) {
    this.rolePrefix = options.rolePrefix ?? DEFAULT_ROLE_PREFIX;
    if (!ROLE_PREFIX.test(this.rolePrefix)) throw new Error('a role prefix is of a-z, 0-9 and _');
    this.unscoped = options.unscoped === 'owner' ? OWNER : NOTHING;
    this.dataSource = new DataSource(
      dataSourceOptions(options, {
        statement_timeout: STATEMENT_TIMEOUT_MS,
        // The server's own limit can't fire when the server is frozen or unreachable.
        query_timeout: STATEMENT_TIMEOUT_MS + 5_000,
        idle_in_transaction_session_timeout: 60_000,
        rolePrefix: this.rolePrefix,
        ...(options.readOnly ? { options: '-c default_transaction_read_only=on' } : {}),
      }),
    );
  }

  /**
   * Brings the schema forward; processes that start together wait for each other. A login that doesn't own the tables only
   * sees to it that the schema is at this release.
   * Errors: DEPENDENCY.DATABASE_UNAVAILABLE while it isn't; CONFIG.INVALID where the roles are not to be had.
   */
  async migrate(): Promise<void> {
    await this.withMigrator(async (migrator, runner) => {
      if (!(await mayMigrate(runner)))
        return requireCurrentSchema(runner, this.rolePrefix, {
          roles: ['app', 'system'],
          migrations: namesOf(migrator),
        });
      await runner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
      await ensureRoles(runner, this.rolePrefix);
      await migrator.runMigrations();
      await runner.query('SELECT candor_protect_tenant_tables()');
      await runner.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    });
  }

  /**
   * For processes that never migrate, whoever owns the tables, and look at one tenant at a time. Asks the server until it has
   * seen this release once: a schema only goes forward.
   * Errors: as of `migrate`.
   */
  async requireSchema(): Promise<void> {
    if (this.isAtRelease) return;
    await this.withMigrator((migrator, runner) =>
      requireCurrentSchema(runner, this.rolePrefix, { roles: ['app'], migrations: namesOf(migrator) }),
    );
    this.isAtRelease = true;
  }

  private async withMigrator(work: (migrator: DataSource, runner: QueryRunner) => Promise<void>): Promise<void> {
    await this.guard(async () => {
      // Connections of its own, without time limits: a migration of much data, or the wait for one, takes what it takes.
      const session = { migratesFor: this.rolePrefix };
      const migrator = await new DataSource(dataSourceOptions({ ...this.options, poolSize: 2 }, session)).initialize();
      const runner = migrator.createQueryRunner();
      try {
        await work(migrator, runner);
      } finally {
        await runner.release();
        // Ends the session that holds the lock, whatever went wrong before.
        await migrator.destroy();
      }
    });
  }

  /** For work of several tenants in one commit, or of one that the context doesn't know. */
  forTenants(tenantIds: readonly string[]): TransactionRunner {
    return this.scopedTo(tenantScope(tenantIds));
  }

  /** Looks across tenants; every use is listed in docs/security/cross-tenant-access.md. */
  system(purpose: SystemPurpose): TransactionRunner {
    return this.scopedTo(systemScope(purpose));
  }

  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return this.scopedTo(this.currentScope()).transaction(work);
  }

  read<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return this.scopedTo(this.currentScope()).read(work);
  }

  snapshot<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return this.scopedTo(this.currentScope()).snapshot(work);
  }

  private currentScope(): DatabaseScope {
    return activeScope() ?? ambientScope() ?? this.unscoped;
  }

  private scopedTo(scope: DatabaseScope): TransactionRunner {
    return {
      transaction: (work) => this.inScope(scope, () => this.dataSource.transaction(work)),
      read: (work) => this.inScope(scope, () => work(this.dataSource.manager)),
      snapshot: (work) => this.snapshotIn(scope, work),
    };
  }

  /** Begun as whoever connected: becoming somebody else is a query, and the level has to be set before any. */
  private snapshotIn<Result>(
    scope: DatabaseScope,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    return this.inScope(OWNER, () =>
      this.dataSource.transaction('REPEATABLE READ', async (transaction) => {
        await transaction.query('SET TRANSACTION READ ONLY');
        if (scope.role !== 'owner')
          await transaction.query(SCOPE_STATEMENT.text, [...scopeValues(scope, this.rolePrefix)]);
        return runInScope(scope, () => work(transaction));
      }),
    );
  }

  private inScope<Result>(scope: DatabaseScope, work: () => Promise<Result>): Promise<Result> {
    return this.guard(async () => {
      await this.connect();
      return runInScope(scope, work);
    });
  }

  async ping(): Promise<void> {
    await this.read((manager) => manager.query('SELECT 1'));
  }

  async close(): Promise<void> {
    // One that is about to connect would stay open behind our back.
    await this.connecting?.catch(() => undefined);
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }

  /** Connects on first use, so a process can start before its database and recover by itself. */
  private async connect(): Promise<void> {
    if (this.dataSource.isInitialized) return;
    // TypeORM asks the server about itself, which needs no role of ours: they may not be there yet.
    this.connecting ??= runInScope(OWNER, () => this.dataSource.initialize()).finally(
      () => (this.connecting = undefined),
    );
    await this.connecting;
  }

  private async guard<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      // Alike for its callers, who may come again; a job that always needs longer has to end some time.
      if (isStatementTimeout(error))
        throw new AppError('DEPENDENCY.DATABASE_TIMEOUT', { cause: error, retryAfterSeconds: 2 });
      if (isConnectionFailure(error) || isMissingRole(error))
        throw new AppError('DEPENDENCY.DATABASE_UNAVAILABLE', { cause: error, retryAfterSeconds: 2 });
      throw error;
    }
  }
}

function namesOf({ migrations }: DataSource): string[] {
  return migrations.map(({ name }) => name ?? '');
}
