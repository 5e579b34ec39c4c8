/** How much of a sync is done before others get their turn, and how patient it is. */
export interface SyncLimits {
  /** Of one slice. */
  maxBatches: number;
  maxSliceMs: number;
  /** Items read at once. */
  loadConcurrency: number;
  /** Content held in memory before it is stored, bytes; one item may be larger. */
  maxBytes: number;
  /** Tombstones in one commit. */
  deleteBatch: number;
  heartbeatMs: number;
  /** Waits in a row before a run gives up on a provider that can't be reached; rate limits never make it give up. */
  maxRetries: number;
  /** First wait, doubling up to the longest, seconds. */
  firstWaitSeconds: number;
  longestWaitSeconds: number;
  /** An item that keeps a run from going on so often is left out, counted and tried again by the next full run. */
  patienceWithItem: number;
}

export const SYNC_LIMITS = Symbol('SyncLimits');

export const DEFAULT_SYNC_LIMITS: SyncLimits = {
  maxBatches: 20,
  maxSliceMs: 30_000,
  loadConcurrency: 4,
  maxBytes: 32 * 1024 * 1024,
  deleteBatch: 100,
  heartbeatMs: 20_000,
  maxRetries: 8,
  firstWaitSeconds: 10,
  longestWaitSeconds: 600,
  patienceWithItem: 3,
};
