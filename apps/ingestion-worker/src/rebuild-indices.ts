import { setTimeout as delay } from 'node:timers/promises';
import { v4 as randomUuid } from 'uuid';
import pLimit from 'p-limit';
import { AppError } from '@candor/contracts';
import {
  createGeneration,
  findConfiguredRecipe,
  findGeneration,
  findPendingGeneration,
  listLiveGenerations,
  requestPromotion,
  retireGeneration,
  type Database,
  type GenerationEntity,
  type Transaction,
} from '@candor/persistence';
import type { SearchIndexWriter } from '@candor/search-index/write';
import { toIndex } from './features/index-item/live-generations.service.js';

const PAGE = 100;
/** Builds at once: the workers share them out, and each reads its tenant's whole corpus. */
const AT_ONCE = 4;

export interface IndexRebuild {
  /** Tenants whose index is there. */
  whole: number;
  rebuilt: number;
  failed: number;
}

export interface RebuildOptions {
  /** Between two looks at a build, ms. Default 1,000. */
  pollMs?: number;
  onEnd?: (end: { tenantId: string; generationId: string; error?: string }) => void;
}

/**
 * Builds the index of every tenant anew whose live one isn't there, as after a restore, and promotes it. The running workers
 * do the work; this asks for it and waits. It may be stopped and started again: a build that is there is gone on with.
 */
export async function rebuildIndices(
  database: Database,
  index: Pick<SearchIndexWriter, 'hasIndex'>,
  { pollMs = 1_000, onEnd = () => undefined }: RebuildOptions = {},
): Promise<IndexRebuild> {
  const result: IndexRebuild = { whole: 0, rebuilt: 0, failed: 0 };
  const limit = pLimit(AT_ONCE);
  const rebuildOne = async (lost: GenerationEntity): Promise<void> => {
    const { tenantId, id: generationId } = lost;
    try {
      onEnd({ tenantId, generationId: await new TenantRebuild(database, index, lost, pollMs).run() });
      result.rebuilt += 1;
    } catch (error) {
      result.failed += 1;
      onEnd({ tenantId, generationId, error: AppError.from(error).message });
    }
  };
  for (let after: string | null = null; ;) {
    const from: string | null = after;
    const page: GenerationEntity[] = await database
      .system('index-rebuild')
      .transaction((transaction) => listLiveGenerations(transaction, { after: from, limit: PAGE }));
    const are = await Promise.all(page.map((generation) => index.hasIndex(toIndex(generation).address)));
    const lost = page.filter((_generation, position) => !are[position]);
    result.whole += page.length - lost.length;
    await Promise.all(lost.map((generation) => limit(rebuildOne, generation)));
    after = page.at(-1)?.id ?? null;
    if (page.length < PAGE) return result;
  }
}

/** One tenant's: a build with the model of before, its promotion, and the lost one given up. */
class TenantRebuild {
  private readonly requestId = randomUuid();

  constructor(
    private readonly database: Database,
    private readonly index: Pick<SearchIndexWriter, 'hasIndex'>,
    private readonly lost: GenerationEntity,
    private readonly pollMs: number,
  ) {}

  /** The id of the generation that is live then. @throws AppError why it isn't */
  async run(): Promise<string> {
    const { tenantId } = this.lost;
    await this.giveUpLostBuild();
    const { id } = await this.transaction((transaction) => this.build(transaction));
    const built = await this.waitFor(id, ({ status }) => status !== 'building');
    if (built.status === 'failed') throw refused(built.errorMessage);
    const runId = randomUuid();
    await this.transaction((transaction) =>
      requestPromotion(transaction, { id, tenantId }, { runId, requestId: this.requestId }),
    );
    const { status, promotion } = await this.waitFor(
      id,
      (generation) => generation.promotion?.runId !== runId || generation.promotion.outcome !== null,
    );
    if (status !== 'live') throw refused(promotion?.errorMessage);
    // Nothing can be rolled back to, and every change would go on being written to it in vain.
    await this.transaction((transaction) =>
      retireGeneration(transaction, { id: this.lost.id, tenantId, requestId: this.requestId }),
    );
    return id;
  }

  /** One that the backup held too: its index is as lost as the live one's. */
  private async giveUpLostBuild(): Promise<void> {
    const { tenantId } = this.lost;
    const pending = await this.transaction((transaction) => findPendingGeneration(transaction, tenantId));
    // Without a fingerprint it has no index yet.
    if (!pending || pending.pipelineFingerprint === '' || (await this.index.hasIndex(toIndex(pending).address))) return;
    await this.transaction((transaction) =>
      retireGeneration(transaction, { id: pending.id, tenantId, requestId: this.requestId }),
    );
  }

  private async build(transaction: Transaction): Promise<GenerationEntity> {
    const { tenantId, recipe } = this.lost;
    const configured = await findConfiguredRecipe(transaction);
    const model = recipe?.embedding.model ?? null;
    const created = await createGeneration(transaction, {
      tenantId,
      requestId: this.requestId,
      model: model === configured?.recipe.embedding.model ? null : model,
    });
    const generation = created ?? (await findPendingGeneration(transaction, tenantId));
    if (!generation) throw refused('Another build was there and is gone. Start again.');
    return generation;
  }

  private async waitFor(id: string, isDone: (generation: GenerationEntity) => boolean): Promise<GenerationEntity> {
    for (;;) {
      const found = await this.transaction((transaction) => findGeneration(transaction, this.lost.tenantId, id));
      if (!found) throw refused('The tenant is gone.');
      if (isDone(found)) return found;
      await delay(this.pollMs);
    }
  }

  private transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return this.database.forTenants([this.lost.tenantId]).transaction(work);
  }
}

function refused(message: string | null | undefined): AppError {
  return new AppError('RESOURCE.CONFLICT', { message: message ?? 'It was refused.' });
}
