import { Injectable } from '@nestjs/common';
import { AppError, type CheckSourcePayload } from '@candor/contracts';
import { completeCheck, Database, findSource, type StoredCheck } from '@candor/persistence';
import { OpenConnectorService } from '../../connectors/open-connector.service.js';

/** Proves credentials by one cheap call; the answer goes where whoever asked looks for it. */
@Injectable()
export class CheckSourceService {
  constructor(
    private readonly database: Database,
    private readonly connectors: OpenConnectorService,
  ) {}

  async check({ tenantId, sourceId, checkId }: CheckSourcePayload, signal: AbortSignal): Promise<void> {
    const source = await this.database.read((manager) => findSource(manager, { tenantId, providers: null }, sourceId));
    // Somebody asked again, or the source is on its way out.
    if (source?.lastCheck?.id !== checkId || source.lastCheck.status !== 'pending') return;
    const outcome = await this.ask(() => this.connectors.open(source).then((connector) => connector.check(signal)));
    signal.throwIfAborted();
    const check: StoredCheck = { id: checkId, ...outcome, checkedAt: new Date().toISOString() };
    await this.database.transaction((transaction) => completeCheck(transaction, sourceId, check));
  }

  private async ask(call: () => Promise<{ account: string }>): Promise<Omit<StoredCheck, 'id' | 'checkedAt'>> {
    try {
      const { account } = await call();
      return { status: 'ok', account, error: null };
    } catch (cause) {
      const error = AppError.from(cause);
      if (error.code.startsWith('DEPENDENCY.')) throw error;
      return {
        status: error.code === 'CONNECTOR.CREDENTIALS_REJECTED' ? 'rejected' : 'unavailable',
        account: null,
        error: { type: error.code, message: error.message },
      };
    }
  }
}
