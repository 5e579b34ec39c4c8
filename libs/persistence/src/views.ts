export { Database, type DatabaseOptions } from './database.js';
export * from './item-access.js';
export * from './retrieval-views.js';
