export { workerConfigSchema } from './config.js';
export { main } from './main.js';
export { rotateCredentials } from './rotate-credentials.js';
export { sourceDependenciesFrom } from './source-dependencies.js';
export { startWorker, type RunningWorker, type WorkerDependencies } from './start-worker.js';
