import { Module, type DynamicModule } from '@nestjs/common';
import type { AuditSigner } from '@candor/audit';
import type { QuotaLimits } from '@candor/contracts';
import { EmbedderRegistry } from '@candor/embeddings';
import { FileReader, type FileReaderOptions } from '@candor/extraction';
import { Database } from '@candor/persistence';
import { JobProducer, type JobSchedules } from '@candor/queue';
import { CredentialCipher } from '@candor/runtime';
import { SEARCH_INDEX_WRITER, type SearchIndexWriter } from '@candor/search-index/write';
import { CONNECTOR_FACTORY, type ConnectorFactory } from './connectors/connector-factory.js';
import { OpenConnectorService } from './connectors/open-connector.service.js';
import { BuildGenerationProcessor } from './features/build-generation/build-generation.processor.js';
import { BuildGenerationService } from './features/build-generation/build-generation.service.js';
import { GenerationSweeperService } from './features/build-generation/generation-sweeper.service.js';
import { PrepareGenerationService } from './features/build-generation/prepare-generation.service.js';
import { DeleteItemProcessor } from './features/delete-item/delete-item.processor.js';
import { ExtractItemProcessor } from './features/extract-item/extract-item.processor.js';
import { ReadItemFileService } from './features/extract-item/read-item-file.service.js';
import { IndexItemProcessor } from './features/index-item/index-item.processor.js';
import { IndexItemService } from './features/index-item/index-item.service.js';
import { LiveGenerationsService } from './features/index-item/live-generations.service.js';
import { RefreshMetadataService } from './features/index-item/refresh-metadata.service.js';
import { CheckSourceService } from './features/manage-source/check-source.service.js';
import { ManageSourceProcessor } from './features/manage-source/manage-source.processor.js';
import { RemoveSourceService } from './features/manage-source/remove-source.service.js';
import { JOB_SCHEDULES, SourceSchedulesService } from './features/manage-source/source-schedules.service.js';
import { SourceSweeperService } from './features/manage-source/source-sweeper.service.js';
import { PromoteGenerationProcessor } from './features/promote-generation/promote-generation.processor.js';
import { PromoteGenerationService } from './features/promote-generation/promote-generation.service.js';
import { RetireGenerationService } from './features/promote-generation/retire-generation.service.js';
import { ApplyRetentionProcessor } from './features/retention/apply-retention.processor.js';
import { ApplyRetentionService } from './features/retention/apply-retention.service.js';
import { RunErasuresProcessor } from './features/erase-tenant/run-erasures.processor.js';
import { RunErasuresService } from './features/erase-tenant/run-erasures.service.js';
import { SealAuditProcessor } from './features/seal-audit/seal-audit.processor.js';
import { AUDIT_SIGNER, SealAuditService } from './features/seal-audit/seal-audit.service.js';
import { CompareIdsService } from './features/sync-connector/compare-ids.service.js';
import { EndRunService } from './features/sync-connector/end-run.service.js';
import { LoadItemsService } from './features/sync-connector/load-items.service.js';
import { QUOTA_DEFAULTS, StoreBatchService } from './features/sync-connector/store-batch.service.js';
import { DEFAULT_SYNC_LIMITS, SYNC_LIMITS, type SyncLimits } from './features/sync-connector/sync-limits.js';
import { SyncSliceService } from './features/sync-connector/sync-slice.service.js';
import { SyncSourceProcessor } from './features/sync-connector/sync-source.processor.js';
import { CompareIndexService } from './generations/compare-index.service.js';
import { RebuildItemsService } from './generations/rebuild-items.service.js';
import { ItemPipelineService } from './pipeline/item-pipeline.service.js';
import { PassageEmbeddingService } from './pipeline/passage-embedding.service.js';

export interface WorkerModuleDependencies {
  database: Database;
  embedders: EmbedderRegistry;
  index: SearchIndexWriter;
  producer: JobProducer;
  schedules: JobSchedules;
  sources: SourceDependencies;
  auditSigner: AuditSigner;
  /** Of tenants that have no limits of their own; default: none. */
  quotas?: QuotaLimits;
  /** Default: two processes of 768 MB at most. */
  files?: FileReaderOptions;
}

/** Then the job is parked; with the reading itself it stays within the time of its job. */
const FILE_TURN_WAIT_MS = 60_000;

export interface SourceDependencies {
  cipher: CredentialCipher;
  createConnector: ConnectorFactory;
  /** Default: `DEFAULT_SYNC_LIMITS`. */
  limits?: SyncLimits;
}

@Module({})
export class WorkerModule {
  static forRoot(dependencies: WorkerModuleDependencies): DynamicModule {
    const { database, embedders, index, producer, schedules, sources } = dependencies;
    return {
      module: WorkerModule,
      controllers: [
        ApplyRetentionProcessor,
        BuildGenerationProcessor,
        DeleteItemProcessor,
        ExtractItemProcessor,
        IndexItemProcessor,
        ManageSourceProcessor,
        PromoteGenerationProcessor,
        RunErasuresProcessor,
        SealAuditProcessor,
        SyncSourceProcessor,
      ],
      providers: [
        { provide: Database, useValue: database },
        { provide: EmbedderRegistry, useValue: embedders },
        { provide: SEARCH_INDEX_WRITER, useValue: index },
        { provide: JobProducer, useValue: producer },
        { provide: JOB_SCHEDULES, useValue: schedules },
        { provide: CredentialCipher, useValue: sources.cipher },
        { provide: CONNECTOR_FACTORY, useValue: sources.createConnector },
        { provide: AUDIT_SIGNER, useValue: dependencies.auditSigner },
        { provide: QUOTA_DEFAULTS, useValue: dependencies.quotas ?? {} },
        { provide: SYNC_LIMITS, useValue: sources.limits ?? DEFAULT_SYNC_LIMITS },
        CheckSourceService,
        CompareIdsService,
        EndRunService,
        LoadItemsService,
        OpenConnectorService,
        RemoveSourceService,
        SourceSchedulesService,
        SourceSweeperService,
        StoreBatchService,
        SyncSliceService,
        IndexItemService,
        ItemPipelineService,
        PassageEmbeddingService,
        LiveGenerationsService,
        BuildGenerationService,
        CompareIndexService,
        GenerationSweeperService,
        PrepareGenerationService,
        PromoteGenerationService,
        RebuildItemsService,
        RetireGenerationService,
        SealAuditService,
        ApplyRetentionService,
        RunErasuresService,
        RefreshMetadataService,
        { provide: FileReader, useValue: new FileReader({ turnWaitMs: FILE_TURN_WAIT_MS, ...dependencies.files }) },
        ReadItemFileService,
      ],
    };
  }
}
