import type { AuditEventInput } from '@candor/contracts';
import { writeAuditEvents } from '@candor/audit';
import type { Database } from '@candor/persistence';
import { Coalescer } from '@candor/runtime/coalescer';

/** Of one commit: below it the statement stays small, above it nothing more is saved. */
const MOST_EVENTS = 64;

/**
 * Commits events of requests that changed nothing, each before its request is answered. Those that come while a commit is
 * under way share the next one: under load, one commit serves many answers. One that can't be stored fails alone.
 */
export class AuditCommits {
  private readonly commits: Coalescer<AuditEventInput, undefined>;

  constructor(database: Database) {
    this.commits = new Coalescer({
      maxInputs: MOST_EVENTS,
      run: async (events) => {
        const tenants = [...new Set(events.map(({ tenantId }) => tenantId))];
        await database.forTenants(tenants).read((manager) => writeAuditEvents(manager, events));
        return events.map(() => undefined);
      },
    });
  }

  /** Resolves when the event is committed. */
  async commit(event: AuditEventInput): Promise<void> {
    await this.commits.call(event);
  }
}
