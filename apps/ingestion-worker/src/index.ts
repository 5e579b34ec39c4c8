export { workerConfigSchema } from './config.js';
export { main } from './main.js';
export { startWorker, type RunningWorker, type WorkerDependencies } from './start-worker.js';
