import { Injectable } from '@nestjs/common';
import { syncSourceJob, type SyncSourcePayload } from '@candor/contracts';
import { Database, extendRunLease, findStrandedRuns, resendRun, resendStaleRemovals } from '@candor/persistence';
import { JobProducer } from '@candor/queue';

const BATCH = 50;

/** Sends runs and removals on whose wait is over, or whose job the queue or a worker has lost. */
@Injectable()
export class SourceSweeperService {
  constructor(
    private readonly database: Database,
    private readonly producer: JobProducer,
  ) {}

  /** How many were sent. */
  async sweep(): Promise<number> {
    return this.database.system('sweep').transaction(async (transaction) => {
      let sent = 0;
      for (const run of await findStrandedRuns(transaction, BATCH)) {
        const { id, slice } = run;
        const jobId = syncSourceJob.jobId({ runId: id, slice } as SyncSourcePayload);
        // One that waits for its time has no job; asking the queue first would only delay it while the queue is down.
        if (!run.waiting && (await this.producer.isPending(syncSourceJob, jobId))) {
          await extendRunLease(transaction, id);
        } else {
          await resendRun(transaction, run);
          sent += 1;
        }
      }
      return sent + (await resendStaleRemovals(transaction, BATCH));
    });
  }
}
