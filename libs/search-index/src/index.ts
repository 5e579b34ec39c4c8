export * from './search-index.port.js';
