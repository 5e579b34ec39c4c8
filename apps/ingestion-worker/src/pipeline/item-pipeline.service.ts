import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { indexItemJob, refreshItemMetadataJob, type ItemJobPayload } from '@candor/contracts';
import { writeAuditEvents } from '@candor/audit';
import {
  completeIndexings,
  Database,
  enqueue,
  loadVersion,
  saveExtractions,
  startStages,
  type Completion,
  type Extraction,
  type IndexedVersion,
  type ItemStage,
  type StageStart,
  type TransactionRunner,
} from '@candor/persistence';
import { Coalescer } from '@candor/runtime/coalescer';

const MAX_INPUTS = 512;
const MAX_BYTES = 8 * 1024 * 1024;
/** Items with much text that are held in memory at once: each may have tens of megabytes. */
const LARGE_AT_ONCE = 4;

export type StartedStage = Pick<Extract<StageStart, { kind: 'proceed' }>, 'head' | 'version'>;

/**
 * The changes of state that each job makes. Those of jobs that run at the same time are committed together: a commit
 * and its statements cost about the same for one item as for fifty.
 */
@Injectable()
export class ItemPipelineService {
  private readonly starts: Record<ItemStage, Coalescer<ItemJobPayload, StageStart>>;
  private readonly extractions: Coalescer<Extraction, boolean>;
  private readonly completions: Coalescer<IndexedVersion, Completion>;
  private readonly large = pLimit(LARGE_AT_ONCE);

  constructor(private readonly database: Database) {
    this.starts = { extracting: this.coalesceStarts('extracting'), indexing: this.coalesceStarts('indexing') };
    this.extractions = new Coalescer({
      maxInputs: MAX_INPUTS,
      maxWeight: MAX_BYTES,
      weigh: ({ text }) => text.length * 2,
      run: (extractions) => this.saveAll(extractions),
    });
    this.completions = new Coalescer({
      maxInputs: MAX_INPUTS,
      // Those of one tenant that wait don't keep another's waiting.
      groupOf: ({ job }) => job.tenantId,
      maxWeight: MAX_BYTES,
      weigh: ({ extraction }) => (extraction?.text.length ?? 0) * 2,
      run: (entries) => this.completeAll(entries),
    });
  }

  start(job: ItemJobPayload, stage: ItemStage): Promise<StageStart> {
    return this.starts[stage].call(job);
  }

  /** Does the work of a stage with the version's content; large ones take turns. Undefined when it is gone meanwhile. */
  async withContent<Result>(
    job: ItemJobPayload,
    start: Extract<StageStart, { kind: 'proceed' }>,
    work: (stage: StartedStage) => Promise<Result>,
  ): Promise<Result | undefined> {
    if (start.hasContent) return work(start);
    return this.large(async () => {
      const version = await this.database.read((manager) => loadVersion(manager, job));
      return version ? work({ head: start.head, version }) : undefined;
    });
  }

  /** Stores the text and wants the index stage; false when the version had left its stage meanwhile. */
  saveExtraction(extraction: Extraction): Promise<boolean> {
    return this.extractions.call(extraction);
  }

  /** Makes the version live, with its audit event, and wants a refresh where metadata changed meanwhile. */
  complete(entry: IndexedVersion): Promise<Completion> {
    return this.completions.call(entry);
  }

  private coalesceStarts(stage: ItemStage): Coalescer<ItemJobPayload, StageStart> {
    return new Coalescer({
      maxInputs: MAX_INPUTS,
      groupOf: ({ tenantId }) => tenantId,
      run: (jobs) => this.of(jobs).transaction((transaction) => startStages(transaction, jobs, stage)),
    });
  }

  /** Whose jobs share a commit, whichever of them it runs in. */
  private of(jobs: readonly ItemJobPayload[]): TransactionRunner {
    return this.database.forTenants(jobs.map(({ tenantId }) => tenantId));
  }

  private saveAll(extractions: readonly Extraction[]): Promise<boolean[]> {
    return this.of(extractions.map(({ job }) => job)).transaction(async (transaction) => {
      const saved = await saveExtractions(transaction, extractions);
      const next = extractions.filter((_extraction, index) => saved[index]);
      await enqueue(
        transaction,
        next.map(({ job }) => ({ tenantId: job.tenantId, jobName: indexItemJob.name, payload: job })),
      );
      return saved;
    });
  }

  private completeAll(entries: readonly IndexedVersion[]): Promise<Completion[]> {
    return this.of(entries.map(({ job }) => job)).transaction(async (transaction) => {
      const completions = await completeIndexings(transaction, entries);
      const refreshes = entries.flatMap(({ job }, index) => {
        const completion = completions[index];
        if (completion?.kind !== 'indexed' || !completion.metadataChanged) return [];
        const payload = { ...job, epoch: completion.revision };
        return [{ tenantId: job.tenantId, jobName: refreshItemMetadataJob.name, payload }];
      });
      await enqueue(transaction, refreshes);
      await writeAuditEvents(
        transaction,
        entries.flatMap((entry, index) => (completions[index]?.kind === 'indexed' ? [toEvent(entry)] : [])),
      );
      return completions;
    });
  }
}

function toEvent({ job, chunks, generationIds }: IndexedVersion): Parameters<typeof writeAuditEvents>[1][number] {
  return {
    tenantId: job.tenantId,
    requestId: job.requestId,
    action: 'item.index',
    outcome: 'succeeded',
    actorApiKeyId: null,
    actorType: 'service',
    targetType: 'source_item',
    targetId: job.itemId,
    metadata: { version: job.version, chunks: chunks.length, generationId: generationIds[0] ?? null },
  };
}
