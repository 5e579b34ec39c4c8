import { Module, type DynamicModule } from '@nestjs/common';
import { EMBEDDER, type Embedder } from '@candor/embeddings';
import { FileReader } from '@candor/extraction';
import { Database } from '@candor/persistence';
import { SEARCH_INDEX_WRITER, type SearchIndexWriter } from '@candor/search-index/write';
import { DeleteItemProcessor } from './features/delete-item/delete-item.processor.js';
import { ExtractItemProcessor } from './features/extract-item/extract-item.processor.js';
import { ReadItemFileService } from './features/extract-item/read-item-file.service.js';
import { IndexItemProcessor } from './features/index-item/index-item.processor.js';
import { IndexItemService } from './features/index-item/index-item.service.js';
import { LiveGenerationsService } from './features/index-item/live-generations.service.js';
import { RefreshMetadataService } from './features/index-item/refresh-metadata.service.js';
import { ItemPipelineService } from './pipeline/item-pipeline.service.js';
import { PassageEmbeddingService } from './pipeline/passage-embedding.service.js';

export interface WorkerModuleDependencies {
  database: Database;
  embedder: Embedder;
  index: SearchIndexWriter;
}

@Module({})
export class WorkerModule {
  static forRoot({ database, embedder, index }: WorkerModuleDependencies): DynamicModule {
    return {
      module: WorkerModule,
      controllers: [DeleteItemProcessor, ExtractItemProcessor, IndexItemProcessor],
      providers: [
        { provide: Database, useValue: database },
        { provide: EMBEDDER, useValue: embedder },
        { provide: SEARCH_INDEX_WRITER, useValue: index },
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
