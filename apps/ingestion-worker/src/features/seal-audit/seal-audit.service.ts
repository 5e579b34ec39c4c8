import { Inject, Injectable, Logger } from '@nestjs/common';
import { announceSigner, AuditSigner, EVENTS_A_BATCH, sealNextBatch } from '@candor/audit';
import { AppError } from '@candor/contracts';
import {
  beginSealingRound,
  Database,
  endSealingRound,
  markChainBroken,
  readSealingBacklog,
  type SealingBacklog,
  type SealingTenant,
} from '@candor/persistence';

export const AUDIT_SIGNER = Symbol('AuditSigner');

/**
 * Seals what has committed since, each tenant's events in a chain of its own, a transaction a batch. Whatever is cut short
 * is done by the next round: the horizon moves only when a round has sealed all that it found, but for broken chains,
 * which are noted and tried again each time.
 */
@Injectable()
export class SealAuditService {
  private readonly logger = new Logger(SealAuditService.name);

  constructor(
    private readonly database: Database,
    @Inject(AUDIT_SIGNER) private readonly signer: AuditSigner,
  ) {}

  /**
   * Events sealed. A tenant whose chain is broken keeps back nobody else's, nor the horizon, and fails no round: the log
   * and `candor_audit_chains` say so for as long as it lasts.
   * @throws the first of any other failures, after the others' events are sealed
   * @throws AppError AUDIT.CHAIN_BROKEN, and seals nothing, when a key of ours is known with another public half
   */
  async sealAll(signal?: AbortSignal): Promise<number> {
    await this.system.transaction((transaction) => announceSigner(transaction, this.signer));
    const round = await this.system.read((manager) => beginSealingRound(manager));
    let sealed = 0;
    const failures: unknown[] = [];
    for (const tenant of round.tenants) {
      try {
        sealed += await this.sealTenant(tenant, round.horizon, signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof AppError && error.code === 'AUDIT.CHAIN_BROKEN') await this.noteBroken(tenant.id, error);
        else failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    await this.system.transaction((transaction) => endSealingRound(transaction, round));
    return sealed;
  }

  /** For whoever watches over it. */
  backlog(): Promise<SealingBacklog> {
    return this.system.read((manager) => readSealingBacklog(manager));
  }

  private get system() {
    return this.database.system('seal-audit');
  }

  private async sealTenant(
    { id, isBroken }: SealingTenant,
    horizon: string | null,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    const options = { signer: this.signer, horizon: isBroken ? null : horizon, isBroken };
    let sealed = 0;
    for (let events = EVENTS_A_BATCH; events === EVENTS_A_BATCH; sealed += events) {
      signal?.throwIfAborted();
      events = await this.system.transaction((transaction) => sealNextBatch(transaction, id, options));
    }
    return sealed;
  }

  private async noteBroken(tenantId: string, { code, message }: AppError): Promise<void> {
    this.logger.error(`${code} of tenant ${tenantId}: ${message}`);
    await this.system.transaction((transaction) => markChainBroken(transaction, tenantId));
  }
}
