import { EmbedderRegistry, registryOptionsFrom } from '@candor/embeddings';
import { Database, databaseOptionsFrom, ReasoningViews, RetrievalViews } from '@candor/persistence/views';
import { createElasticsearchReader, elasticsearchOptionsFrom, type SearchIndexReader } from '@candor/search-index/read';
import type { RetrievalConfig } from './config.js';

export interface OpenedDependencies {
  database: Database;
  views: RetrievalViews;
  reasoning: ReasoningViews;
  reader: SearchIndexReader;
  embedders: EmbedderRegistry;
  close: () => Promise<void>;
}

/** Loads the configured model, which takes seconds; the database and the index are connected to on first use. */
export async function openDependencies(config: RetrievalConfig): Promise<OpenedDependencies> {
  const embedders = await EmbedderRegistry.open(registryOptionsFrom(config));
  const database = new Database({
    ...databaseOptionsFrom(config),
    applicationName: 'candor-retrieval',
    poolSize: 20,
    readOnly: true,
  });
  const reader = createElasticsearchReader(elasticsearchOptionsFrom(config));
  return {
    database,
    views: new RetrievalViews(database),
    reasoning: new ReasoningViews(database),
    reader,
    embedders,
    close: async () => {
      await Promise.allSettled([reader.close(), embedders.close(), database.close()]);
    },
  };
}
