import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { SourceCheck } from '@candor/contracts';
import { beginCheck, Database, enqueue, findSource, type Transaction } from '@candor/persistence';
import { requireRequestContext } from '@candor/runtime';
import { RequestTransaction } from '../../request/request-transaction.service.js';
import { noteSource, requireUsable, sourceNotFound, sourceViewer } from './source-access.js';
import { toCheck } from './to-source.js';

const POLL_MS = 150;
/** A provider that answers at all does so sooner. */
const LONGEST_WAIT_MS = 15_000;

/** Only workers call providers: the check is a job, its result a row, and whoever asked looks there. */
@Injectable()
export class SourceCheckService {
  constructor(
    private readonly database: Database,
    private readonly requests: RequestTransaction,
  ) {}

  async check(id: string): Promise<{ data: SourceCheck }> {
    noteSource(id);
    const { requestId } = requireRequestContext();
    const viewer = sourceViewer();
    const begin = async (transaction: Transaction): Promise<string> => {
      const source = await findSource(transaction, viewer, id, { lock: true });
      if (!source) throw sourceNotFound();
      requireUsable(source);
      const begun = await beginCheck(transaction, id);
      const payload = { tenantId: viewer.tenantId, requestId, sourceId: id, checkId: begun };
      await enqueue(transaction, [{ tenantId: viewer.tenantId, jobName: 'source.check', payload }]);
      return begun;
    };
    const checkId = await this.requests.run(begin, { answersLater: true });
    return { data: await this.waitFor(id, checkId) };
  }

  private async waitFor(id: string, checkId: string): Promise<SourceCheck> {
    const viewer = sourceViewer();
    for (const expires = Date.now() + LONGEST_WAIT_MS; Date.now() < expires; await delay(POLL_MS)) {
      const source = await this.database.read((manager) => findSource(manager, viewer, id));
      const check = source?.lastCheck;
      // Replaced by somebody else's check, or gone with the source.
      if (check?.id !== checkId) break;
      if (check.status !== 'pending') return toCheck(check);
    }
    return { status: 'pending', account: null, error: null, checkedAt: null };
  }
}
