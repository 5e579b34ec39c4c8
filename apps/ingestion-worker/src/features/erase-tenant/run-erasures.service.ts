import { Inject, Injectable } from '@nestjs/common';
import { ERASURE_STEPS, JOB_CATALOGUE, type ErasureStep } from '@candor/contracts';
import { eraseTexts } from '@candor/audit';
import {
  claimErasure,
  countAuditTexts,
  countOfPerson,
  countTenantRows,
  Database,
  deleteTenantRows,
  endErasure,
  erasePerson,
  listGenerationAddresses,
  listTenantTables,
  blankTenant,
  noteErased,
  releaseErasure,
  setErasureStep,
  type AuditTexts,
  type ErasureRow,
  type Transaction,
} from '@candor/persistence';
import { JobProducer } from '@candor/queue';
import { SEARCH_INDEX_WRITER, type SearchIndexWriter } from '@candor/search-index/write';
import { certifyErasure } from './certify-erasure.js';

const LEASE_SECONDS = 120;
const ROWS_AT_ONCE = 2_000;
const QUEUES = [...new Set(JOB_CATALOGUE.map(({ queue }) => queue))];

/**
 * Goes on with erasures where they stand: every part may be repeated, and is noted when it is done, so that whatever was
 * cut short loses nothing and skips nothing. It ends when nothing is left to be found.
 */
@Injectable()
export class RunErasuresService {
  constructor(
    private readonly database: Database,
    private readonly producer: JobProducer,
    @Inject(SEARCH_INDEX_WRITER) private readonly writer: SearchIndexWriter,
  ) {}

  /** How many came to their end. */
  async runAll(signal?: AbortSignal): Promise<number> {
    const waiting: ErasureRow[] = [];
    let ended = 0;
    for (;;) {
      signal?.throwIfAborted();
      const erasure = await this.system.transaction((transaction) => claimErasure(transaction, LEASE_SECONDS));
      if (!erasure) break;
      if (await this.run(erasure, signal)) ended += 1;
      else waiting.push(erasure);
    }
    // Only now, or they would be claimed again at once.
    for (const { id } of waiting) await this.system.transaction((transaction) => releaseErasure(transaction, id));
    return ended;
  }

  private get system() {
    return this.database.system('erasure');
  }

  /** False when it has to wait: a job of the tenant is still running, or something came in between. */
  private async run(erasure: ErasureRow, signal: AbortSignal | undefined): Promise<boolean> {
    const steps: Record<ErasureStep, () => Promise<boolean>> = {
      queue: () => this.emptyQueues(erasure),
      index: () => this.dropIndexes(erasure),
      rows: () => this.deleteRows(erasure, signal),
      texts: () => this.eraseTexts(erasure, signal),
      certificate: () => this.certify(erasure),
    };
    const order = erasure.kind === 'tenant' ? ERASURE_STEPS : (['rows', 'texts', 'certificate'] as const);
    for (const step of order.slice(
      Math.max(
        0,
        order.findIndex((name) => name === erasure.step),
      ),
    )) {
      signal?.throwIfAborted();
      await this.system.transaction((transaction) => setErasureStep(transaction, erasure.id, step));
      if (!(await steps[step]())) return false;
    }
    return true;
  }

  /** First what makes new jobs, then the jobs; one that runs is waited for: its writes would come after the deletes. */
  private async emptyQueues({ id, tenantId }: ErasureRow): Promise<boolean> {
    const outbox = { name: 'outbox', column: 'tenant_id', parent: null };
    for (let deleted = ROWS_AT_ONCE; deleted === ROWS_AT_ONCE;) {
      deleted = await this.system.transaction((transaction) =>
        deleteTenantRows(transaction, outbox, tenantId, ROWS_AT_ONCE),
      );
      await this.note(id, 'outbox', deleted);
    }
    let running = 0;
    for (const queue of QUEUES) running += await this.producer.removeOfTenant(queue, tenantId);
    return running === 0;
  }

  private async dropIndexes({ id, tenantId }: ErasureRow): Promise<boolean> {
    const addresses = await this.system.read((manager) => listGenerationAddresses(manager, tenantId));
    for (const generation of addresses) await this.writer.dropIndex({ tenantId, generation });
    await this.note(id, 'indexes', addresses.length);
    return true;
  }

  private async deleteRows(erasure: ErasureRow, signal: AbortSignal | undefined): Promise<boolean> {
    const { id, tenantId, subject } = erasure;
    if (erasure.kind === 'person') {
      if (!subject) return true;
      const counts = await this.system.transaction((transaction) => erasePerson(transaction, tenantId, subject));
      for (const [what, count] of Object.entries(counts)) await this.note(id, what, count);
      return true;
    }
    for (const table of await this.system.read((manager) => listTenantTables(manager))) {
      for (let deleted = ROWS_AT_ONCE; deleted === ROWS_AT_ONCE;) {
        signal?.throwIfAborted();
        deleted = await this.system.transaction((transaction) =>
          deleteTenantRows(transaction, table, tenantId, ROWS_AT_ONCE),
        );
        await this.note(id, table.name, deleted);
      }
    }
    return true;
  }

  private async eraseTexts(erasure: ErasureRow, signal: AbortSignal | undefined): Promise<boolean> {
    const { id, kind, requestId, requestedBy } = erasure;
    const texts = textsOf(erasure);
    const facts = { texts, cause: kind, requestId, requestedBy, targetType: 'erasure', targetId: id } as const;
    for (let erased = ROWS_AT_ONCE; erased === ROWS_AT_ONCE;) {
      signal?.throwIfAborted();
      erased = await this.system.transaction((transaction) => eraseTexts(transaction, facts, ROWS_AT_ONCE));
      await this.note(id, 'audit_texts', erased);
    }
    return true;
  }

  /** Looks again before it says that nothing is left; what came in between starts the erasure over. */
  private async certify(erasure: ErasureRow): Promise<boolean> {
    const { id, tenantId, kind } = erasure;
    const { rows, texts } = await this.system.read(async (manager) => ({
      rows: await this.countRows(manager, erasure),
      // A request that was under way writes its event when the texts are gone already.
      texts: await countAuditTexts(manager, textsOf(erasure)),
    }));
    if (Object.keys(rows).length > 0 || texts > 0) {
      const first = kind === 'tenant' ? 'queue' : 'rows';
      await this.system.transaction((transaction) => setErasureStep(transaction, id, first));
      return false;
    }
    await this.system.transaction(async (transaction) => {
      if (kind === 'tenant') await blankTenant(transaction, tenantId);
      if (await endErasure(transaction, id)) await certifyErasure(transaction, erasure);
    });
    return true;
  }

  private async countRows(
    manager: Transaction,
    { tenantId, kind, subject }: ErasureRow,
  ): Promise<Record<string, number>> {
    if (kind === 'person') return subject ? countOfPerson(manager, tenantId, subject) : {};
    return countTenantRows(manager, await listTenantTables(manager), tenantId);
  }

  private async note(id: string, what: string, count: number): Promise<void> {
    await this.system.transaction((transaction) => noteErased(transaction, id, what, count, LEASE_SECONDS));
  }
}

/** Of a person those that their keys asked, of a tenant all. */
function textsOf({ tenantId, kind, subject }: Pick<ErasureRow, 'tenantId' | 'kind' | 'subject'>): AuditTexts {
  return { tenantId, apiKeyIds: kind === 'person' ? (subject?.apiKeyIds ?? []) : null };
}
