import { Injectable } from '@nestjs/common';
import {
  AppError,
  type listSyncRunsRoute,
  type QueryOf,
  type ResponseOf,
  type StartSyncBody,
  type startSyncRoute,
  type SyncRun,
  type SyncRunDetails,
} from '@candor/contracts';
import {
  cancelSyncRun,
  Database,
  findSource,
  findSyncRun,
  listSyncFailures,
  listSyncRuns,
  startSyncRun,
} from '@candor/persistence';
import { requireRequestContext } from '@candor/runtime';
import { requireCaller } from '../../access/caller.js';
import { RequestTransaction } from '../../request/request-transaction.service.js';
import { requireUsable, runViewer, sourceNotFound } from './source-access.js';
import { toSyncRun } from './to-source.js';

const MOST_SHOWN_FAILURES = 100;

@Injectable()
export class SyncRunsService {
  constructor(
    private readonly database: Database,
    private readonly requests: RequestTransaction,
  ) {}

  async list(query: QueryOf<typeof listSyncRunsRoute>): Promise<ResponseOf<typeof listSyncRunsRoute>> {
    const page = await this.database.read((manager) => listSyncRuns(manager, runViewer(), query));
    return { data: page.rows.map(toSyncRun), pagination: { cursor: page.cursor, hasMore: page.hasMore } };
  }

  async read(id: string): Promise<{ data: SyncRunDetails }> {
    noteRun(id);
    return this.database.read(async (manager) => {
      const run = await findSyncRun(manager, runViewer(), id);
      if (!run) throw runNotFound();
      return { data: { ...toSyncRun(run), failures: await listSyncFailures(manager, id, MOST_SHOWN_FAILURES) } };
    });
  }

  start({ sourceId, mode }: StartSyncBody): Promise<ResponseOf<typeof startSyncRoute>> {
    const { scope } = requireCaller();
    return this.requests.run(async (transaction) => {
      const source = await findSource(transaction, runViewer(), sourceId, { lock: true });
      if (!source) throw sourceNotFound();
      requireUsable(source);
      if (source.state === 'paused') throw new AppError('RESOURCE.CONFLICT', { message: 'The source is paused.' });
      const { run, alreadyActive } = await startSyncRun(transaction, {
        tenantId: scope.tenantId,
        sourceId,
        mode,
        trigger: 'request',
        apiKeyId: scope.apiKeyId,
      });
      noteRun(run.id);
      Object.assign(requireRequestContext().audit.metadata, { sourceId, mode, alreadyActive });
      return { data: { ...toSyncRun(run), alreadyActive } };
    });
  }

  cancel(id: string): Promise<{ data: SyncRun }> {
    noteRun(id);
    return this.requests.run(async (transaction) => {
      const run = await cancelSyncRun(transaction, runViewer(), id);
      if (!run) throw runNotFound();
      return { data: toSyncRun(run) };
    });
  }
}

function noteRun(id: string): void {
  Object.assign(requireRequestContext().audit, { targetType: 'sync_run', targetId: id });
}

function runNotFound(): AppError {
  return new AppError('RESOURCE.NOT_FOUND', { message: 'There is no such sync run.' });
}
