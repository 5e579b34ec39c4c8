import { AppError } from '@candor/contracts';
import { throwIfCancelled, untilCancelled } from '@candor/runtime/cancellation';
import { Coalescer } from '@candor/runtime/coalescer';
import type { CountChunks, IndexAddress, IndexOperation, SearchIndexWriter } from './search-index.port.js';

export interface BatchLimits {
  /** Operations a flush. */
  maxOperations: number;
  /** Approximate bytes of text and vectors a flush. */
  maxBytes: number;
  /** After it an index that was asked whether it is there counts as away. */
  pingMs: number;
}

const DEFAULT_LIMITS: BatchLimits = { maxOperations: 512, maxBytes: 8 * 1024 * 1024, pingMs: 5_000 };

const FLUSHES_AT_ONCE = 4;
const ANSWER_COUNTS_MS = 1_000;
const RETRY_AFTER_SECONDS = 5;

/** Coalesces concurrent `apply` calls on one address, so that many small jobs pay for one refresh together. */
export class BatchedIndexWriter implements SearchIndexWriter {
  private readonly flushers = new Map<string, Coalescer<readonly IndexOperation[], void>>();
  private readonly limits: BatchLimits;
  private answeredAt = 0;
  private asking: Promise<void> | undefined;

  constructor(
    private readonly inner: SearchIndexWriter,
    limits: Partial<BatchLimits> = {},
  ) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
  }

  apply(address: IndexAddress, operations: readonly IndexOperation[]): Promise<void> {
    const key = `${address.tenantId}/${address.generation}`;
    let flusher = this.flushers.get(key);
    if (!flusher) this.flushers.set(key, (flusher = this.flusherOf({ ...address })));
    return flusher.call(operations);
  }

  get mappingVersion(): number {
    return this.inner.mappingVersion;
  }

  ensureIndex(address: IndexAddress, dimensions: number, countChunks?: CountChunks): Promise<void> {
    return this.inner.ensureIndex(address, dimensions, countChunks);
  }

  countItem(address: IndexAddress, itemId: string): Promise<number> {
    return this.inner.countItem(address, itemId);
  }

  listVersions(address: IndexAddress): AsyncIterable<{ itemId: string; version: number; chunks: number }> {
    return this.inner.listVersions(address);
  }

  hasIndex(address: IndexAddress): Promise<boolean> {
    return this.inner.hasIndex(address);
  }

  findDrift(address: IndexAddress, dimensions: number): Promise<string[]> {
    return this.inner.findDrift(address, dimensions);
  }

  dropIndex(address: IndexAddress): Promise<void> {
    return this.inner.dropIndex(address);
  }

  /**
   * An answer counts for a second, and for everybody who asks before it is there: jobs ask before they do what would be
   * lost, and hundreds of them begin at once.
   */
  async ping(signal?: AbortSignal): Promise<void> {
    if (Date.now() - this.answeredAt < ANSWER_COUNTS_MS) return;
    throwIfCancelled(signal);
    // Nobody's signal ends it: others wait for it too.
    this.asking ??= this.ask().finally(() => (this.asking = undefined));
    await untilCancelled(this.asking, signal);
  }

  private async ask(): Promise<void> {
    const limit = AbortSignal.timeout(this.limits.pingMs);
    try {
      await untilCancelled(this.inner.ping(limit), limit);
    } catch (error) {
      if (!limit.aborted) throw error;
      throw new AppError('DEPENDENCY.INDEX_UNAVAILABLE', { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    this.answeredAt = Date.now();
  }

  /** Waits for what was accepted. */
  async close(): Promise<void> {
    await Promise.all([...this.flushers.values()].map((flusher) => flusher.settled()));
    await this.inner.close();
  }

  private flusherOf(address: IndexAddress): Coalescer<readonly IndexOperation[], void> {
    return new Coalescer({
      run: async (batch) => {
        await this.inner.apply(address, batch.flat());
        return batch.map(() => undefined);
      },
      maxInputs: this.limits.maxOperations,
      // One is written while those before it wait to be seen.
      concurrency: FLUSHES_AT_ONCE,
      maxWeight: this.limits.maxBytes,
      count: (operations) => operations.length,
      weigh: sizeOf,
    });
  }
}

function sizeOf(operations: readonly IndexOperation[]): number {
  let bytes = 0;
  for (const operation of operations) {
    if (operation.kind !== 'put-version' && operation.kind !== 'put-superseded') continue;
    for (const chunk of operation.chunks) bytes += chunk.content.length * 2 + chunk.vector.byteLength;
  }
  return bytes;
}
