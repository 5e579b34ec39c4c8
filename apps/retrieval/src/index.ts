export { retrievalConfigSchema, type RetrievalConfig } from './config.js';
export { main } from './main.js';
export { openDependencies, type OpenedDependencies } from './open-dependencies.js';
export { RetrievalModule, type RetrievalModuleOptions } from './retrieval.module.js';
export { RetrievalService, type RetrievalDependencies, type VerifiedCall } from './retrieval.service.js';
export type { Views } from './search/retrieval-run.js';
