export * from './read.js';
export * from './search-index.port.js';
export * from './write.js';
