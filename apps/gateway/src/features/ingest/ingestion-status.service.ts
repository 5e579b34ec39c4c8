import { Injectable } from '@nestjs/common';
import { AppError, type IngestionStatus, type ItemId, type ItemState, type RequestId } from '@candor/contracts';
import { Database, findIngestion, type Ingestion } from '@candor/persistence';
import { requireCaller, visibilityOf } from '../../access/caller.js';
import { estimateSeconds } from './estimate-seconds.js';

const UNFINISHED: readonly ItemState[] = ['accepted', 'extracting', 'indexing', 'deleting'];

@Injectable()
export class IngestionStatusService {
  constructor(private readonly database: Database) {}

  async read(requestId: string): Promise<IngestionStatus> {
    const caller = requireCaller();
    const viewer = { ...visibilityOf(caller), apiKeyId: caller.scope.apiKeyId };
    const ingestion = await this.database.read((manager) => findIngestion(manager, viewer, requestId));
    if (!ingestion) throw new AppError('RESOURCE.NOT_FOUND', { message: 'There is no such ingest request.' });
    return toStatus(requestId, ingestion, new Date());
  }
}

function toStatus(requestId: string, { items, createdAt }: Ingestion, now: Date): IngestionStatus {
  const counts: Partial<Record<ItemState, number>> = {};
  for (const { state } of items) counts[state] = (counts[state] ?? 0) + 1;
  const remaining = items.filter((item) => UNFINISHED.includes(item.state)).length;
  return {
    requestId: requestId as RequestId,
    done: remaining === 0,
    counts,
    items: items.map(({ externalId, itemId, version, state, error }) => ({
      externalId,
      sourceItemId: itemId as ItemId,
      version,
      status: state,
      ...(error ? { error } : {}),
    })),
    etaSeconds: estimateSeconds({
      finished: items.length - remaining,
      remaining,
      elapsedSeconds: (now.getTime() - createdAt.getTime()) / 1000,
    }),
  };
}
