export { Database, type DatabaseOptions } from './database.js';
export * from './retrieval-views.js';
