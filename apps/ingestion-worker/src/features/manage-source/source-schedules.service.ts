import { Inject, Injectable } from '@nestjs/common';
import { startDueRunJob, type StartDueRunPayload } from '@candor/contracts';
import {
  advanceSchedule,
  Database,
  findSource,
  listSchedules,
  startSyncRun,
  wantSync,
  type SourceSchedule,
} from '@candor/persistence';
import type { JobSchedules } from '@candor/queue';

export const JOB_SCHEDULES = Symbol('JobSchedules');

const MODES = ['incremental', 'reconcile'] as const;

/** The queue's schedules follow what Postgres says, and start runs. */
@Injectable()
export class SourceSchedulesService {
  constructor(
    private readonly database: Database,
    @Inject(JOB_SCHEDULES) private readonly schedules: Pick<JobSchedules, 'upsert' | 'remove' | 'list'>,
  ) {}

  /** Of one source, after a change. */
  async apply(sourceId: string): Promise<void> {
    const wanted = await this.database.read((manager) => listSchedules(manager, sourceId));
    for (const mode of MODES) {
      const schedule = wanted.find((entry) => entry.mode === mode);
      if (schedule) await this.upsert(schedule);
      else await this.schedules.remove(startDueRunJob.queue, idOf(sourceId, mode));
    }
  }

  /** Of all sources: what the queue lost comes back, what nobody wants goes. Returns how many differed. */
  async applyAll(): Promise<number> {
    const wanted = await this.database.system('schedule').read((manager) => listSchedules(manager, null));
    const present = new Map(
      (await this.schedules.list(startDueRunJob.queue)).map(({ id, everyMs }) => [id, everyMs] as const),
    );
    const different = wanted.filter(
      (schedule) => present.get(idOf(schedule.sourceId, schedule.mode)) !== everyMsOf(schedule),
    );
    for (const schedule of different) await this.upsert(schedule);
    const wantedIds = new Set(wanted.map(({ sourceId, mode }) => idOf(sourceId, mode)));
    const orphans = [...present.keys()].filter((id) => !wantedIds.has(id));
    for (const id of orphans) await this.schedules.remove(startDueRunJob.queue, id);
    return different.length + orphans.length;
  }

  /** A schedule fired. A run that is under way is left alone; a comparison comes after it then. */
  startDueRun({ tenantId, sourceId, mode }: StartDueRunPayload): Promise<void> {
    return this.database.transaction(async (transaction) => {
      const source = await findSource(transaction, { tenantId, providers: null }, sourceId, { lock: true });
      if (source?.state !== 'active') return;
      await advanceSchedule(transaction, sourceId, mode);
      const run = { tenantId, sourceId, trigger: 'schedule', apiKeyId: null } as const;
      if (mode === 'incremental') await startSyncRun(transaction, { ...run, mode });
      // What was left out for passing reasons is only found again by a listing from the beginning.
      else await wantSync(transaction, { ...run, mode: source.wantsFull ? 'full' : 'reconcile' });
    });
  }

  private upsert(schedule: SourceSchedule): Promise<void> {
    const { tenantId, sourceId, mode, nextAt } = schedule;
    return this.schedules.upsert(
      startDueRunJob,
      { id: idOf(sourceId, mode), everyMs: everyMsOf(schedule), firstAt: nextAt },
      // A schedule belongs to no request; its source stands for one.
      { tenantId, requestId: sourceId, sourceId, mode },
    );
  }
}

function idOf(sourceId: string, mode: SourceSchedule['mode']): string {
  return `${sourceId}-${mode}`;
}

function everyMsOf({ everyMinutes }: SourceSchedule): number {
  return everyMinutes * 60_000;
}
