import { Module, type DynamicModule } from '@nestjs/common';
import { EMBEDDER, type Embedder } from '@candor/embeddings';
import { FileReader } from '@candor/extraction';
import { Database } from '@candor/persistence';
import { JobProducer, type JobSchedules } from '@candor/queue';
import { CredentialCipher } from '@candor/runtime';
import { SEARCH_INDEX_WRITER, type SearchIndexWriter } from '@candor/search-index/write';
import { CONNECTOR_FACTORY, type ConnectorFactory } from './connectors/connector-factory.js';
import { OpenConnectorService } from './connectors/open-connector.service.js';
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
import { CompareIdsService } from './features/sync-connector/compare-ids.service.js';
import { EndRunService } from './features/sync-connector/end-run.service.js';
import { LoadItemsService } from './features/sync-connector/load-items.service.js';
import { StoreBatchService } from './features/sync-connector/store-batch.service.js';
import { DEFAULT_SYNC_LIMITS, SYNC_LIMITS, type SyncLimits } from './features/sync-connector/sync-limits.js';
import { SyncSliceService } from './features/sync-connector/sync-slice.service.js';
import { SyncSourceProcessor } from './features/sync-connector/sync-source.processor.js';
import { ItemPipelineService } from './pipeline/item-pipeline.service.js';
import { PassageEmbeddingService } from './pipeline/passage-embedding.service.js';

export interface WorkerModuleDependencies {
  database: Database;
  embedder: Embedder;
  index: SearchIndexWriter;
  producer: JobProducer;
  schedules: JobSchedules;
  sources: SourceDependencies;
}

export interface SourceDependencies {
  cipher: CredentialCipher;
  createConnector: ConnectorFactory;
  /** Default: `DEFAULT_SYNC_LIMITS`. */
  limits?: SyncLimits;
}

@Module({})
export class WorkerModule {
  static forRoot(dependencies: WorkerModuleDependencies): DynamicModule {
    const { database, embedder, index, producer, schedules, sources } = dependencies;
    return {
      module: WorkerModule,
      controllers: [
        DeleteItemProcessor,
        ExtractItemProcessor,
        IndexItemProcessor,
        ManageSourceProcessor,
        SyncSourceProcessor,
      ],
      providers: [
        { provide: Database, useValue: database },
        { provide: EMBEDDER, useValue: embedder },
        { provide: SEARCH_INDEX_WRITER, useValue: index },
        { provide: JobProducer, useValue: producer },
        { provide: JOB_SCHEDULES, useValue: schedules },
        { provide: CredentialCipher, useValue: sources.cipher },
        { provide: CONNECTOR_FACTORY, useValue: sources.createConnector },
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
        RefreshMetadataService,
        { provide: FileReader, useValue: new FileReader() },
        ReadItemFileService,
      ],
    };
  }
}
