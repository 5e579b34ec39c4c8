import { Injectable } from '@nestjs/common';
import type { AuditOutcome } from '@candor/contracts';
import { writeAuditEvents } from '@candor/audit';
import { Database, endRun, type RunEnding } from '@candor/persistence';

const OUTCOMES: Record<RunEnding['state'], AuditOutcome> = {
  succeeded: 'succeeded',
  succeeded_with_errors: 'succeeded',
  failed: 'failed',
  cancelled: 'refused',
};

/** Ends runs, with the event that says how. */
@Injectable()
export class EndRunService {
  constructor(private readonly database: Database) {}

  /** `leaseId` null = whoever holds it. Nothing happens to a run that is over. */
  async end(run: { id: string; leaseId: string | null }, ending: RunEnding): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const ended = await endRun(transaction, run, ending);
      if (!ended) return;
      const { sourceId, mode, trigger, state, counts } = ended;
      await writeAuditEvents(transaction, [
        {
          tenantId: ended.tenantId,
          requestId: ended.id,
          action: 'source.sync',
          outcome: OUTCOMES[ending.state],
          actorApiKeyId: ended.apiKeyId,
          actorType: 'service',
          targetType: 'source',
          targetId: sourceId,
          metadata: {
            runId: ended.id,
            mode,
            trigger,
            state,
            counts,
            ...(ended.error && { errorType: ended.error.type }),
          },
        },
      ]);
    });
  }
}
