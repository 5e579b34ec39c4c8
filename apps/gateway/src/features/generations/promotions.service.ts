import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { AppError, isErrorCode, type Generation } from '@candor/contracts';
import { countSteps, Database, requestPromotion, type GenerationEntity, type Transaction } from '@candor/persistence';
import { requireRequestContext } from '@candor/runtime';
import { RequestTransaction } from '../../request/request-transaction.service.js';
import { noteGeneration, readGeneration, requireGeneration, wrongState } from './generations.service.js';

/** The worker's checks read the whole index: of a large one they take longer than a request should. */
const MOST_WAIT_MS = 20_000;
const POLL_MS = 100;

/** Asks the worker, which alone may look into the index, and waits for what it says. */
@Injectable()
export class PromotionsService {
  constructor(
    private readonly database: Database,
    private readonly requests: RequestTransaction,
  ) {}

  /** Errors: GENERATION.WRONG_STATE, EMPTY, INCOMPLETE, MAPPING_DRIFT; EMBEDDINGS.PROFILE_MISMATCH. */
  async promote(id: string): Promise<{ data: Generation }> {
    noteGeneration(id);
    const { requestId } = requireRequestContext();
    const runId = randomUUID();
    const request = async (transaction: Transaction): Promise<{ data: Generation }> => {
      const generation = await requireGeneration(transaction, id);
      if (generation.status !== 'live') {
        await requirePromotable(transaction, generation);
        await requestPromotion(transaction, generation, { runId, requestId });
      }
      return { data: await readGeneration(transaction, id) };
    };
    const requested = await this.requests.run(request, { answersLater: true });
    return requested.data.state === 'live' ? requested : this.waitFor(id, runId);
  }

  private async waitFor(id: string, runId: string): Promise<{ data: Generation }> {
    const until = Date.now() + MOST_WAIT_MS;
    for (;;) {
      const { promotion } = await this.database.read((manager) => requireGeneration(manager, id));
      const isOver = promotion?.runId !== runId || promotion.outcome !== null;
      if (isOver || Date.now() >= until) {
        if (promotion?.runId === runId && promotion.outcome === 'refused')
          throw new AppError(isErrorCode(promotion.errorType) ? promotion.errorType : 'RESOURCE.CONFLICT', {
            ...(promotion.errorMessage === undefined ? {} : { message: promotion.errorMessage }),
          });
        return { data: await this.database.transaction((transaction) => readGeneration(transaction, id)) };
      }
      await delay(POLL_MS);
    }
  }
}

/** What the database knows already needs no worker. */
async function requirePromotable(transaction: Transaction, generation: GenerationEntity): Promise<void> {
  const { status } = generation;
  const { total, missing, outdated } = await countSteps(transaction, generation);
  if (status === 'building')
    throw wrongState(`The generation is still being built: ${total - missing - outdated} of ${total} items are in it.`);
  if (status !== 'ready' && status !== 'previous')
    throw wrongState(`Only a generation that is ready or previous can be promoted; this one is ${status}.`);
  if (total > 0 && missing === total)
    throw new AppError('GENERATION.EMPTY', {
      message: `The generation is empty, and there are ${total} live items.`,
    });
  if (missing + outdated > 0)
    throw new AppError('GENERATION.INCOMPLETE', {
      message: `The generation lacks ${missing} of ${total} items and holds ${outdated} in an older version. POST /v1/generations/:id/reconcile repairs it.`,
    });
}
