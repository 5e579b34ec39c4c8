import { Injectable } from '@nestjs/common';
import {
  AppError,
  type CreateGenerationBody,
  type Generation,
  type listGenerationsRoute,
  type QueryOf,
  type ResponseOf,
} from '@candor/contracts';
import {
  createGeneration,
  Database,
  findConfiguredRecipe,
  findGeneration,
  listGenerations,
  retireGeneration,
  startWork,
  viewGeneration,
  type GenerationEntity,
  type Transaction,
} from '@candor/persistence';
import { requireRequestContext } from '@candor/runtime';
import { requireCaller } from '../../access/caller.js';
import { RequestTransaction } from '../../request/request-transaction.service.js';
import { toGeneration } from './to-generation.js';

@Injectable()
export class GenerationsService {
  constructor(
    private readonly database: Database,
    private readonly requests: RequestTransaction,
  ) {}

  async list(query: QueryOf<typeof listGenerationsRoute>): Promise<ResponseOf<typeof listGenerationsRoute>> {
    const { tenantId } = requireCaller().scope;
    const { page, configured } = await this.database.transaction(async (transaction) => ({
      page: await listGenerations(transaction, tenantId, query),
      configured: await findConfiguredRecipe(transaction),
    }));
    const now = new Date();
    const data = page.rows.map((row) => toGeneration(row, configured, now));
    return { data, pagination: { cursor: page.cursor, hasMore: page.hasMore } };
  }

  async read(id: string): Promise<{ data: Generation }> {
    noteGeneration(id);
    return { data: await this.database.transaction((transaction) => readGeneration(transaction, id)) };
  }

  create(body: CreateGenerationBody): Promise<{ data: Generation }> {
    const model = body.model ?? null;
    const { tenantId } = requireCaller().scope;
    const { requestId, audit } = requireRequestContext();
    return this.requests.run(async (transaction) => {
      const created = await createGeneration(transaction, { tenantId, requestId, model });
      if (!created) throw new AppError('GENERATION.BUILD_EXISTS');
      noteGeneration(created.id);
      audit.metadata['model'] = model;
      return { data: await readGeneration(transaction, created.id) };
    });
  }

  /** Idempotent: one that is being given up already is answered as it is. */
  retire(id: string): Promise<{ data: Generation }> {
    return this.change(id, async (transaction, generation) => {
      const { tenantId } = generation;
      const { requestId } = requireRequestContext();
      if (await retireGeneration(transaction, { id, tenantId, requestId })) return;
      const { status } = await requireGeneration(transaction, id);
      if (status === 'live') throw wrongState('The live generation cannot be retired. Promote another one first.');
    });
  }

  /** Idempotent: one that is at work already goes on with it. */
  reconcile(id: string): Promise<{ data: Generation }> {
    return this.change(id, async (transaction, { status, tenantId, work }) => {
      if (status !== 'live' && status !== 'ready' && status !== 'previous')
        throw wrongState(`A generation that is ${status} is not compared with the database.`);
      const { requestId } = requireRequestContext();
      if (work === null) await startWork(transaction, { id, tenantId, requestId }, 'reconcile');
    });
  }

  private change(
    id: string,
    work: (transaction: Transaction, generation: GenerationEntity) => Promise<void>,
  ): Promise<{ data: Generation }> {
    noteGeneration(id);
    return this.requests.run(async (transaction) => {
      await work(transaction, await requireGeneration(transaction, id));
      return { data: await readGeneration(transaction, id) };
    });
  }
}

export function noteGeneration(id: string): void {
  Object.assign(requireRequestContext().audit, { targetType: 'generation', targetId: id });
}

/** 404 alike for absent and another tenant's. */
export async function requireGeneration(transaction: Transaction, id: string): Promise<GenerationEntity> {
  const found = await findGeneration(transaction, requireCaller().scope.tenantId, id);
  if (!found) throw notFound();
  return found;
}

export async function readGeneration(transaction: Transaction, id: string): Promise<Generation> {
  const found = await viewGeneration(transaction, requireCaller().scope.tenantId, id);
  if (!found) throw notFound();
  return toGeneration(found, await findConfiguredRecipe(transaction), new Date());
}

export function wrongState(message: string): AppError {
  return new AppError('GENERATION.WRONG_STATE', { message });
}

function notFound(): AppError {
  return new AppError('RESOURCE.NOT_FOUND', { message: 'There is no such generation.' });
}
