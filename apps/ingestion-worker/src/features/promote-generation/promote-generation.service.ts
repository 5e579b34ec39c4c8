import { Inject, Injectable } from '@nestjs/common';
import { AppError, type PromoteGenerationPayload } from '@candor/contracts';
import { writeAuditEvents } from '@candor/audit';
import { EmbedderRegistry } from '@candor/embeddings';
import {
  Database,
  findGeneration,
  promoteGeneration,
  refusePromotion,
  type Promotion,
  type Transaction,
} from '@candor/persistence';
import { SEARCH_INDEX_WRITER, type SearchIndexWriter } from '@candor/search-index/write';
import { CompareIndexService } from '../../generations/compare-index.service.js';
import { LiveGenerationsService, toIndex, type LiveIndex } from '../index-item/live-generations.service.js';

/** Looks at the index itself, then swaps; a refusal changes nothing and says why. */
@Injectable()
export class PromoteGenerationService {
  constructor(
    private readonly database: Database,
    private readonly generations: LiveGenerationsService,
    private readonly embedders: EmbedderRegistry,
    private readonly comparing: CompareIndexService,
    @Inject(SEARCH_INDEX_WRITER) private readonly writer: SearchIndexWriter,
  ) {}

  async promote(job: PromoteGenerationPayload, signal: AbortSignal): Promise<void> {
    const generation = await this.database.read((manager) => findGeneration(manager, job.tenantId, job.generationId));
    const { promotion } = generation ?? {};
    // Ended before, or somebody asked again since.
    if (!generation || promotion?.runId !== job.runId || promotion.outcome) return;
    const isCandidate = generation.status === 'ready' || generation.status === 'previous';
    const refusal = isCandidate ? await this.inspect(toIndex(generation), signal) : null;
    if (refusal) await this.database.transaction((transaction) => this.refuse(transaction, job, refusal));
    else await this.swap(job);
    this.generations.forget(job.tenantId);
  }

  /** Why the index can't go live. */
  private async inspect(index: LiveIndex, signal: AbortSignal): Promise<AppError | null> {
    const { recipe } = index.generation;
    const { dimensions } = recipe?.embedding ?? this.embedders.configuredEmbedding;
    const drift = await this.writer.findDrift(index.address, dimensions);
    if (drift.length > 0)
      return new AppError('GENERATION.MAPPING_DRIFT', {
        message: `The index of the generation is not mapped as this program maps it: ${drift.slice(0, 5).join('; ')}.`,
      });
    try {
      await this.embedders.use(recipe?.embedding ?? null, (embedder) => embedder.embedQuery('ready', signal));
    } catch (error) {
      const { code } = AppError.from(error);
      if (code === 'EMBEDDINGS.PROFILE_MISMATCH') return AppError.from(error);
      throw error;
    }
    const { missing, outdated, strayed } = await this.comparing.compare(index, signal);
    const other = outdated.length + strayed.length;
    if (missing.length + other === 0) return null;
    return new AppError('GENERATION.INCOMPLETE', {
      message: `The index lacks ${missing.length} items and holds ${other} in another version. POST /v1/generations/:id/reconcile repairs it.`,
    });
  }

  private async swap(job: PromoteGenerationPayload): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const result = await promoteGeneration(transaction, job);
      const refusal = refusalOf(result);
      if (refusal) await this.refuse(transaction, job, refusal);
      else await record(transaction, job, 'succeeded', { ...result });
    });
  }

  private async refuse(transaction: Transaction, job: PromoteGenerationPayload, error: AppError): Promise<void> {
    await refusePromotion(transaction, job.generationId, job.runId, error);
    await record(transaction, job, 'refused', { errorType: error.code });
  }
}

function refusalOf(result: Promotion): AppError | null {
  switch (result.kind) {
    case 'promoted':
    case 'already_live':
      return null;
    case 'wrong_state':
      return new AppError('GENERATION.WRONG_STATE', {
        message: `Only a generation that is ready or previous can be promoted; this one is ${result.status}.`,
      });
    case 'empty':
      return new AppError('GENERATION.EMPTY', {
        message: `The generation is empty, and there are ${result.steps.total} live items.`,
      });
    case 'incomplete':
      return new AppError('GENERATION.INCOMPLETE', {
        message: `The generation lacks ${result.steps.missing} of ${result.steps.total} items and holds ${result.steps.outdated} in an older version. POST /v1/generations/:id/reconcile repairs it.`,
      });
  }
}

function record(
  transaction: Transaction,
  job: PromoteGenerationPayload,
  outcome: 'succeeded' | 'refused',
  metadata: Record<string, unknown>,
): Promise<void> {
  return writeAuditEvents(transaction, [
    {
      tenantId: job.tenantId,
      requestId: job.requestId,
      action: 'generation.promote',
      outcome,
      actorApiKeyId: null,
      actorType: 'service',
      targetType: 'generation',
      targetId: job.generationId,
      metadata,
    },
  ]);
}
