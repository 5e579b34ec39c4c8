import { Inject, Injectable } from '@nestjs/common';
import { announceSigner, AuditSigner, EVENTS_A_BATCH, sealNextBatch } from '@candor/audit';
import { beginSealingRound, Database, endSealingRound } from '@candor/persistence';

export const AUDIT_SIGNER = Symbol('AuditSigner');

/**
 * Seals what has committed since, each tenant's events in a chain of its own, a transaction a batch. Whatever is cut short
 * is done by the next round: the horizon moves only when a round has sealed all that it found.
 */
@Injectable()
export class SealAuditService {
  constructor(
    private readonly database: Database,
    @Inject(AUDIT_SIGNER) private readonly signer: AuditSigner,
  ) {}

  /**
   * Events sealed. A tenant whose chain is broken keeps back nobody else's.
   * @throws AppError AUDIT.CHAIN_BROKEN of the first such tenant, after the others are sealed
   */
  async sealAll(signal?: AbortSignal): Promise<number> {
    const database = this.database.system('seal-audit');
    await database.transaction((transaction) => announceSigner(transaction, this.signer));
    const round = await database.read((manager) => beginSealingRound(manager));
    let sealed = 0;
    const failures: unknown[] = [];
    for (const tenantId of round.tenantIds) {
      try {
        for (let events = EVENTS_A_BATCH; events === EVENTS_A_BATCH; sealed += events) {
          signal?.throwIfAborted();
          events = await database.transaction((transaction) =>
            sealNextBatch(transaction, tenantId, { signer: this.signer, horizon: round.horizon }),
          );
        }
      } catch (error) {
        signal?.throwIfAborted();
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    await database.transaction((transaction) => endSealingRound(transaction, round));
    return sealed;
  }
}
