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
  /** Items that get a shared policy in one commit. A policy names up to 10,000 members, and each item keeps its own. */
  policyBatch: number;
  heartbeatMs: number;
  /** Items that are read again in one go, before a run has met trouble with them. */
  rereadBatch: number;
  /**
   * Waits in a row before a run gives up on a provider that can't be reached; rate limits make it give up only where it
   * begins anew each time: on a listing, and on a single item that is to be read again.
   */
  maxRetries: number;
  /** First wait, doubling up to the longest, seconds. */
  firstWaitSeconds: number;
  longestWaitSeconds: number;
  /** Of one request of a listing, pauses that the provider asks for included: a listing that breaks off begins anew. */
  listingPatienceMs: number;
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
  policyBatch: 50,
  rereadBatch: 20,
  heartbeatMs: 20_000,
  maxRetries: 8,
  firstWaitSeconds: 10,
  longestWaitSeconds: 600,
  listingPatienceMs: 300_000,
  patienceWithItem: 3,
};
