export * from './cached-query-embedder.js';
export * from './create-embedder.js';
export * from './embedder.port.js';
export * from './hashing/hashing-embedder.js';
export * from './onnx/onnx-embedder.js';
export * from './onnx/onnx-model-specs.js';
export * from './openai-compatible/openai-compatible-embedder.js';
export * from './relevance-profile.js';
