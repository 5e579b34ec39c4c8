export * from './embedder.port.js';
