import { esm } from '../../jest.preset.mjs';

// Inside a test `process.env` is a copy the native driver can't see; see src/lancedb/native-threads.ts.
process.env.LANCE_CPU_THREADS ??= '4';
process.env.LANCE_FTS_NUM_SHARDS ??= '1';

export default { ...esm, displayName: 'search-index' };
