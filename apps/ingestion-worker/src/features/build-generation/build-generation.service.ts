import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { AppError, type GenerationWorkPayload } from '@candor/contracts';
import { writeAuditEvents } from '@candor/audit';
import {
  claimWork,
  continueWork,
  Database,
  findItemsOutOfStep,
  finishWork,
  loseStep,
  saveProgress,
  type GenerationEntity,
  type ReconcileReport,
  type UnbuiltItem,
  type WorkProgress,
} from '@candor/persistence';
import { SEARCH_INDEX_WRITER, type SearchIndexWriter } from '@candor/search-index/write';
import { CompareIndexService, type IndexDifferences } from '../../generations/compare-index.service.js';
import { RebuildItemsService } from '../../generations/rebuild-items.service.js';
import { lostIndex, toIndex, type LiveIndex } from '../index-item/live-generations.service.js';
import { keepLease } from './keep-lease.js';
import { PrepareGenerationService } from './prepare-generation.service.js';

/** After so long the rest goes into a job of its own, so that tenants take turns. */
const SLICE_MS = 15_000;
const BATCH_ITEMS = 32;
/** Of text; one larger item goes alone. */
const BATCH_BYTES = 512 * 1024;
/** Batches in a row of which nothing could be written. */
const MOST_STALLED = 20;
/** Times that the index and the database may be found to differ after a repair. */
const MOST_REPAIRS = 3;

/** What one slice knows of its work. */
interface Slice {
  job: GenerationWorkPayload;
  index: LiveIndex;
  signal: AbortSignal;
  cursor: string | null;
  phase: 'fill' | 'verify';
  stalled: number;
  repairs: number;
}

/**
 * Fills a generation with what it lacks, then compares its index with the database and repairs what differs, until
 * nothing does. Of the live generation only the second: everything in it is there by its completion.
 */
@Injectable()
export class BuildGenerationService {
  constructor(
    private readonly database: Database,
    private readonly preparing: PrepareGenerationService,
    private readonly rebuilding: RebuildItemsService,
    private readonly comparing: CompareIndexService,
    @Inject(SEARCH_INDEX_WRITER) private readonly writer: SearchIndexWriter,
  ) {}

  /** One slice; how far it came is kept, whatever ends it. */
  async run(job: GenerationWorkPayload, work: 'build' | 'reconcile', signal: AbortSignal): Promise<void> {
    const claimed = await this.database.transaction((transaction) => claimWork(transaction, job, work));
    if (!claimed) return;
    const lease = keepLease(this.database, job, signal);
    try {
      const isNew = claimed.pipelineFingerprint === '';
      const generation = isNew ? await this.preparing.prepare(job, claimed) : claimed;
      if (generation) await this.runSlice(job, work, generation, lease.signal);
    } catch (error) {
      // Given up or taken over: whoever did so knows what comes next.
      if (!lease.isLost) throw error;
    } finally {
      lease.release();
    }
  }

  private async runSlice(
    job: GenerationWorkPayload,
    work: 'build' | 'reconcile',
    generation: GenerationEntity,
    signal: AbortSignal,
  ): Promise<void> {
    const { workCursor: cursor, status } = generation;
    const phase = status === 'live' ? 'verify' : generation.workPhase;
    const slice: Slice = { job, index: toIndex(generation), signal, cursor, phase, stalled: 0, repairs: 0 };
    const until = Date.now() + SLICE_MS;
    for (;;) {
      const step = slice.phase === 'fill' ? await this.fill(slice) : await this.verify(slice);
      if (step === 'complete' && (await this.finish(job, work)) !== 'incomplete') return;
      const progress: WorkProgress = step === 'complete' ? { cursor: null, phase: 'fill', items: 0 } : step;
      const isOurs = await this.database.transaction((transaction) => saveProgress(transaction, job, progress));
      if (!isOurs) return;
      [slice.cursor, slice.phase] = [progress.cursor, progress.phase];
      if (Date.now() >= until) return this.database.transaction((transaction) => continueWork(transaction, job, work));
    }
  }

  private async fill(slice: Slice): Promise<WorkProgress> {
    const { index, signal, cursor } = slice;
    const found = await this.database.read((manager) =>
      findItemsOutOfStep(manager, index.generation, cursor, BATCH_ITEMS),
    );
    if (found.length === 0)
      // Once more from the start: items may have fallen out of step behind the cursor.
      return { cursor: null, phase: cursor === null ? 'verify' : 'fill', items: 0 };
    const batch = takeBatch(found);
    const items = await this.rebuilding.rebuild(index, batch, signal);
    slice.stalled = items > 0 ? 0 : slice.stalled + 1;
    if (slice.stalled > MOST_STALLED) throw incomplete('Some items cannot be written to the generation.');
    // All of them were being changed or deleted just then.
    if (slice.stalled > 0) await delay(100, undefined, { signal });
    return { cursor: batch.at(-1) ?? null, phase: 'fill', items };
  }

  private async verify(slice: Slice): Promise<WorkProgress | 'complete'> {
    const { index, signal } = slice;
    // Of an index that isn't there everything would be missing, and nothing could be written.
    if (index.generation.status === 'live' && !(await this.writer.hasIndex(index.address)))
      throw lostIndex(index.generation);
    const differences = await this.comparing.compare(index, signal);
    const found = countOf(differences);
    if (found.missing + found.outdated + found.dangling === 0) return 'complete';
    slice.repairs += 1;
    if (slice.repairs > MOST_REPAIRS) throw incomplete('The index differs from the database again after its repair.');
    await this.repair(slice, differences);
    return { cursor: null, phase: index.generation.status === 'live' ? 'verify' : 'fill', items: 0, found };
  }

  private async repair({ index, signal }: Slice, differences: IndexDifferences): Promise<void> {
    const { missing, outdated, strayed, leftover, dangling } = differences;
    const { generation, address } = index;
    for (const itemIds of slices([...strayed, ...leftover])) await this.rebuilding.renew(index, itemIds, signal);
    for (const itemIds of slices(dangling))
      await this.writer.apply(
        address,
        itemIds.map((itemId) => ({ kind: 'delete-item', itemId })),
      );
    for (const itemIds of slices([...missing, ...outdated])) {
      if (generation.status === 'live') await this.rebuilding.rebuild(index, itemIds, signal);
      else await this.database.transaction((transaction) => loseStep(transaction, generation.id, itemIds));
    }
  }

  private finish(job: GenerationWorkPayload, work: 'build' | 'reconcile'): Promise<'finished' | 'incomplete' | 'lost'> {
    return this.database.transaction(async (transaction) => {
      const generation = await finishWork(transaction, job);
      if (typeof generation === 'string') return generation;
      const { id, report, workItems: items, pipelineFingerprint } = generation;
      await writeAuditEvents(transaction, [
        {
          tenantId: job.tenantId,
          requestId: job.requestId,
          action: work === 'build' ? 'generation.built' : 'generation.reconcile',
          outcome: 'succeeded',
          actorApiKeyId: null,
          actorType: 'service',
          targetType: 'generation',
          targetId: id,
          metadata: { items, pipelineFingerprint, ...report },
        },
      ]);
      return 'finished';
    });
  }
}

function incomplete(message: string): AppError {
  return new AppError('GENERATION.INCOMPLETE', { message, retryable: true });
}

function takeBatch(found: readonly UnbuiltItem[]): string[] {
  const batch: string[] = [];
  let bytes = 0;
  for (const item of found) {
    bytes += item.bytes;
    if (batch.length > 0 && bytes > BATCH_BYTES) break;
    batch.push(item.itemId);
  }
  return batch;
}

function countOf({ missing, outdated, strayed, leftover, dangling }: IndexDifferences): ReconcileReport {
  return {
    missing: missing.length,
    outdated: outdated.length + strayed.length,
    dangling: dangling.length + leftover.length,
  };
}

function* slices(ids: readonly string[]): Generator<string[]> {
  for (let start = 0; start < ids.length; start += BATCH_ITEMS) yield ids.slice(start, start + BATCH_ITEMS);
}
