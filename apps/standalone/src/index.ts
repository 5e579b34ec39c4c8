export { distributedConfigSchema, standaloneConfigSchema } from './config.js';
export { loadDemo, type DemoTarget } from './load-demo.js';
export { main as startDistributed } from './distributed.js';
export { main as startStandalone } from './main.js';
