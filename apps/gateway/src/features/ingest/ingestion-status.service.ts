import { Injectable } from '@nestjs/common';
import {
  AppError,
  type IngestionsOverview,
  type IngestionStatus,
  type ingestionsRoute,
  type ItemId,
  type ItemState,
  type QueryOf,
  type RequestId,
  type ResponseOf,
} from '@candor/contracts';
import {
  Database,
  findIngestion,
  listIngestions,
  summarizeUnfinished,
  type Ingestion,
  type IngestionCounts,
  type UnfinishedWork,
} from '@candor/persistence';
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

  async list(page: QueryOf<typeof ingestionsRoute>): Promise<ResponseOf<typeof ingestionsRoute>> {
    const caller = requireCaller();
    const viewer = { ...visibilityOf(caller), apiKeyId: caller.scope.apiKeyId };
    const [found, work] = await this.database.read((manager) =>
      Promise.all([listIngestions(manager, viewer, page), summarizeUnfinished(manager, viewer)]),
    );
    const now = new Date();
    return {
      data: found.rows.map((row) => toSummary(row, now)),
      pagination: { cursor: found.cursor, hasMore: found.hasMore },
      meta: toOverview(work, now),
    };
  }
}

type Summary = ResponseOf<typeof ingestionsRoute>['data'][number];

function toSummary({ requestId, createdAt, counts }: IngestionCounts, now: Date): Summary {
  const total = sumOf(Object.values(counts));
  const remaining = sumOf(UNFINISHED.map((state) => counts[state] ?? 0));
  return {
    requestId,
    createdAt: createdAt.toISOString(),
    done: remaining === 0,
    counts,
    etaSeconds: estimateSeconds({
      finished: total - remaining,
      remaining,
      elapsedSeconds: secondsSince(createdAt, now),
    }),
  };
}

function toOverview(work: UnfinishedWork, now: Date): IngestionsOverview {
  const { counts, oldestAt, indexedLastMinute, deleting, refreshing } = work;
  const remaining = sumOf(Object.values(counts));
  const oldestSeconds = oldestAt && secondsSince(oldestAt, now);
  return {
    counts,
    oldestSeconds,
    indexedLastMinute,
    waiting: work.waiting.map((each) => ({ ...each, nextAttemptAt: each.nextAttemptAt?.toISOString() ?? null })),
    deleting,
    refreshing,
    // Work that began a moment ago has not had a minute to show its rate.
    etaSeconds: estimateSeconds({
      finished: indexedLastMinute,
      remaining,
      elapsedSeconds: Math.min(60, oldestSeconds ?? 60),
    }),
  };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}

/** The database's clock may be ahead of ours. */
function secondsSince(earlier: Date, now: Date): number {
  return Math.max(0, (now.getTime() - earlier.getTime()) / 1_000);
}

function toStatus(requestId: string, { items, createdAt }: Ingestion, now: Date): IngestionStatus {
  const counts: Partial<Record<ItemState, number>> = {};
  for (const { state } of items) counts[state] = (counts[state] ?? 0) + 1;
  const remaining = items.filter((item) => UNFINISHED.includes(item.state)).length;
  return {
    requestId: requestId as RequestId,
    done: remaining === 0,
    counts,
    items: items.map(({ externalId, itemId, version, state, error, waiting }) => ({
      externalId,
      sourceItemId: itemId as ItemId,
      version,
      status: state,
      ...(error ? { error } : {}),
      ...(waiting ? { waiting: { ...waiting, nextAttemptAt: waiting.nextAttemptAt?.toISOString() ?? null } } : {}),
    })),
    etaSeconds: estimateSeconds({
      finished: items.length - remaining,
      remaining,
      elapsedSeconds: secondsSince(createdAt, now),
    }),
  };
}
