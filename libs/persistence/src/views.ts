export { Database, type DatabaseOptions } from './database.js';
export * from './item-access.js';
export type { ChunkExpansion, ChunkNodeRecord, ChunkRecord } from './chunk-views.js';
export * from './retrieval-views.js';
export type { SourceProblem } from './source-problems.js';
