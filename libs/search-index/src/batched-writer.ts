import { AppError } from '@candor/contracts';
import type { IndexAddress, IndexOperation, SearchIndexWriter } from './search-index.port.js';

export interface BatchLimits {
  /** Operations a flush. */
  maxOperations: number;
  /** Approximate bytes of text and vectors a flush. */
  maxBytes: number;
}

const DEFAULT_LIMITS: BatchLimits = { maxOperations: 256, maxBytes: 8 * 1024 * 1024 };

interface Waiting {
  operations: readonly IndexOperation[];
  bytes: number;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Coalesces concurrent `apply` calls on one address: while a flush runs, the next calls gather, so many small
 * jobs pay for one refresh together. A flush that fails is repeated caller by caller, so one bad item fails alone.
 */
export class BatchedIndexWriter implements SearchIndexWriter {
  private readonly queues = new Map<string, Waiting[]>();
  private readonly flushes = new Map<string, Promise<void>>();
  private readonly limits: BatchLimits;

  constructor(
    private readonly inner: SearchIndexWriter,
    limits: Partial<BatchLimits> = {},
  ) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
  }

  apply(address: IndexAddress, operations: readonly IndexOperation[]): Promise<void> {
    const key = `${address.tenantId}/${address.generation}`;
    return new Promise((resolve, reject) => {
      const queue = this.queues.get(key) ?? [];
      this.queues.set(key, queue);
      queue.push({ operations, bytes: sizeOf(operations), resolve, reject });
      if (!this.flushes.has(key)) this.flushes.set(key, this.drain(key, { ...address }, queue));
    });
  }

  ensureIndex(address: IndexAddress, dimensions: number): Promise<void> {
    return this.inner.ensureIndex(address, dimensions);
  }

  countItem(address: IndexAddress, itemId: string): Promise<number> {
    return this.inner.countItem(address, itemId);
  }

  listVersions(address: IndexAddress): AsyncIterable<{ itemId: string; version: number; chunks: number }> {
    return this.inner.listVersions(address);
  }

  dropIndex(address: IndexAddress): Promise<void> {
    return this.inner.dropIndex(address);
  }

  ping(signal?: AbortSignal): Promise<void> {
    return this.inner.ping(signal);
  }

  /** Waits for what was accepted. */
  async close(): Promise<void> {
    await Promise.all(this.flushes.values());
    await this.inner.close();
  }

  private async drain(key: string, address: IndexAddress, queue: Waiting[]): Promise<void> {
    // One turn of the event loop lets calls made together share the first flush too.
    await new Promise((resolve) => setImmediate(resolve));
    while (queue.length > 0) await this.flush(address, this.takeBatch(queue));
    this.queues.delete(key);
    this.flushes.delete(key);
  }

  private takeBatch(queue: Waiting[]): Waiting[] {
    let operations = 0;
    let bytes = 0;
    let count = 0;
    for (const waiting of queue) {
      operations += waiting.operations.length;
      bytes += waiting.bytes;
      if (count > 0 && (operations > this.limits.maxOperations || bytes > this.limits.maxBytes)) break;
      count += 1;
    }
    return queue.splice(0, count);
  }

  private async flush(address: IndexAddress, batch: readonly Waiting[]): Promise<void> {
    const operations = batch.flatMap((waiting) => [...waiting.operations]);
    try {
      await this.inner.apply(address, operations);
    } catch (error) {
      const down = error instanceof AppError && error.code.startsWith('DEPENDENCY.');
      // Asking a server that is down once a caller would only hold everybody up.
      if (batch.length === 1 || down) for (const waiting of batch) waiting.reject(error);
      else for (const waiting of batch) await this.applyAlone(address, waiting);
      return;
    }
    for (const waiting of batch) waiting.resolve();
  }

  private async applyAlone(address: IndexAddress, waiting: Waiting): Promise<void> {
    try {
      await this.inner.apply(address, waiting.operations);
    } catch (error) {
      waiting.reject(error);
      return;
    }
    waiting.resolve();
  }
}

function sizeOf(operations: readonly IndexOperation[]): number {
  let bytes = 0;
  for (const operation of operations) {
    if (operation.kind !== 'put-version') continue;
    for (const chunk of operation.chunks) bytes += chunk.content.length * 2 + chunk.vector.byteLength;
  }
  return bytes;
}
