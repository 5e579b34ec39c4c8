import { availableParallelism } from 'node:os';

/**
 * Imported before the driver, which reads its settings once. Lance builds a text index with a producer that keeps a
 * thread of its pool while the consumer waits for another one; on hosts with up to three processors its default pool
 * is too small, and from about 16,000 rows on the build stands still for ever. One producer and a pool of at least
 * four can't. What the environment says goes first.
 */
/* eslint-disable no-restricted-properties -- written for the native driver, not read as our configuration */
process.env['LANCE_CPU_THREADS'] ??= String(Math.max(4, availableParallelism()));
process.env['LANCE_FTS_NUM_SHARDS'] ??= '1';
