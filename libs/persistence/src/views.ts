export { Database, type DatabaseOptions } from './database.js';
export * from './database-environment.js';
export * from './item-access.js';
export type { ChunkExpansion, ChunkNodeRecord, ChunkRecord } from './chunk-views.js';
export {
  LibraryViews,
  type LibraryHead,
  type LibraryVector,
  type LiteralMatch,
  type Membership,
} from './library-views.js';
export type { LibraryItemType } from './repositories/library-embedding.repository.js';
export * from './reasoning-views.js';
export type { RelatedDocument, RelationEdge, RelationGraph } from './relation-graph-view.js';
export * from './retrieval-views.js';
export type { Visibility } from './visibility.js';
export type { SourceProblem } from './source-problems.js';
