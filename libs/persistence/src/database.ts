import { DataSource, type DataSourceOptions, type EntityManager } from 'typeorm';
import { AppError } from '@candor/contracts';
import { ApiKeyEntity, ApiKeySecretEntity } from './entities/api-key.entity.js';
import { AuditEventEntity } from './entities/audit-event.entity.js';
import { ChunkEntity } from './entities/chunk.entity.js';
import { CollectionEntity, CollectionItemEntity } from './entities/collection.entity.js';
import { DeadLetterEntity } from './entities/dead-letter.entity.js';
import { GenerationEntity } from './entities/generation.entity.js';
import { ItemVersionEntity, SourceItemEntity } from './entities/source-item.entity.js';
import { TenantEntity } from './entities/tenant.entity.js';
import { isConnectionFailure } from './is-connection-failure.js';
import { InitialSchema1764000000000 } from './migrations/1764000000000-initial-schema.js';
import { SourceConnectors1764100000000 } from './migrations/1764100000000-source-connectors.js';
import { ItemFiles1764200000000 } from './migrations/1764200000000-item-files.js';
import { GenerationBuilds1764300000000 } from './migrations/1764300000000-generation-builds.js';
import { IngestionOverview1764400000000 } from './migrations/1764400000000-ingestion-overview.js';
import { Library1764500000000 } from './migrations/1764500000000-library.js';
import { DeclarationHistory1764600000000 } from './migrations/1764600000000-declaration-history.js';
import { Reasoning1764700000000 } from './migrations/1764700000000-reasoning.js';
import { OutboxLanes1764800000000 } from './migrations/1764800000000-outbox-lanes.js';
import { PreparingClient } from './prepared-statements.js';

/** Repositories take one as their first parameter, so that a change and its audit event commit together. */
export type Transaction = EntityManager;

export interface DatabaseOptions {
  url: string;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  poolSize?: number;
  /** For processes that must not write. */
  readOnly?: boolean;
}

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
    ],
    migrationsTransactionMode: 'each',
    poolSize: options.poolSize ?? 10,
    // Otherwise an idle client's error event would end the process when the server goes away.
    poolErrorHandler: () => undefined,
    extra: { Client: PreparingClient, connectionTimeoutMillis: 3_000, keepAlive: true, ...session },
  };
}

/** Errors: DEPENDENCY.DATABASE_UNAVAILABLE whenever the server can't be reached or is shutting down. */
export class Database {
  private readonly dataSource: DataSource;
  private connecting: Promise<unknown> | undefined;

  constructor(private readonly options: DatabaseOptions) {
    this.dataSource = new DataSource(
      dataSourceOptions(options, {
        statement_timeout: STATEMENT_TIMEOUT_MS,
        // The server's own limit can't fire when the server is frozen or unreachable.
        query_timeout: STATEMENT_TIMEOUT_MS + 5_000,
        idle_in_transaction_session_timeout: 60_000,
        ...(options.readOnly ? { options: '-c default_transaction_read_only=on' } : {}),
      }),
    );
  }

  /** Brings the schema forward; processes that start together wait for each other. */
  async migrate(): Promise<void> {
    await this.guard(async () => {
      // Connections of its own, without time limits: a migration of much data, or the wait for one, takes what it takes.
      const migrator = await new DataSource(dataSourceOptions({ ...this.options, poolSize: 2 }, {})).initialize();
      const runner = migrator.createQueryRunner();
      try {
        await runner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
        await migrator.runMigrations();
        await runner.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
      } finally {
        await runner.release();
        // Ends the session that holds the lock, whatever went wrong before.
        await migrator.destroy();
      }
    });
  }

  async transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return this.guard(async () => {
      await this.connect();
      return this.dataSource.transaction(work);
    });
  }

  /** For single statements that need no transaction of their own. */
  async read<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return this.guard(async () => {
      await this.connect();
      return work(this.dataSource.manager);
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
    this.connecting ??= this.dataSource.initialize().finally(() => (this.connecting = undefined));
    await this.connecting;
  }

  private async guard<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (isConnectionFailure(error))
        throw new AppError('DEPENDENCY.DATABASE_UNAVAILABLE', { cause: error, retryAfterSeconds: 2 });
      throw error;
    }
  }
}
