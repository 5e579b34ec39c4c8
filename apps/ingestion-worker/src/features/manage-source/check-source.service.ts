import { Injectable, Logger } from '@nestjs/common';
import { AppError, type CheckSourcePayload } from '@candor/contracts';
import { completeCheck, Database, findSource, type SourceConnector, type StoredCheck } from '@candor/persistence';
import { OpenConnectorService } from '../../connectors/open-connector.service.js';

/** Somebody waits for the answer: a provider that can't be reached is said so before they give up. */
const LONGEST_WAIT_MS = 10_000;
const RETRY = { budgetMs: 5_000, firstPauseMs: 500 };

type Outcome = Omit<StoredCheck, 'id' | 'checkedAt'>;

/** Proves credentials by one cheap call; the answer goes where whoever asked looks for it. */
@Injectable()
export class CheckSourceService {
  private readonly logger = new Logger(CheckSourceService.name);

  constructor(
    private readonly database: Database,
    private readonly connectors: OpenConnectorService,
  ) {}

  async check({ tenantId, sourceId, checkId }: CheckSourcePayload, signal: AbortSignal): Promise<void> {
    const source = await this.database.read((manager) => findSource(manager, { tenantId, providers: null }, sourceId));
    // Somebody asked again, or the source is on its way out.
    if (source?.lastCheck?.id !== checkId || source.lastCheck.status !== 'pending') return;
    const outcome = await this.ask(source, signal);
    signal.throwIfAborted();
    if (outcome.error) this.logger.warn(`Source ${sourceId} (${source.provider}): ${outcome.error.type}`);
    const check: StoredCheck = { id: checkId, ...outcome, checkedAt: new Date().toISOString() };
    await this.database.transaction((transaction) => completeCheck(transaction, sourceId, check));
  }

  private async ask(source: SourceConnector, signal: AbortSignal): Promise<Outcome> {
    const expired = AbortSignal.timeout(LONGEST_WAIT_MS);
    try {
      const connector = await this.connectors.open(source, { retry: RETRY });
      const { account } = await connector.check(AbortSignal.any([signal, expired]));
      return { status: 'ok', account, error: null };
    } catch (cause) {
      const error = expired.aborted ? tooSlow(cause) : AppError.from(cause);
      if (error.code.startsWith('DEPENDENCY.')) throw error;
      return {
        status: error.code === 'CONNECTOR.CREDENTIALS_REJECTED' ? 'rejected' : 'unavailable',
        account: null,
        error: { type: error.code, message: error.message },
      };
    }
  }
}

function tooSlow(cause: unknown): AppError {
  return new AppError('CONNECTOR.UNAVAILABLE', {
    message: `The provider did not answer within ${LONGEST_WAIT_MS / 1_000} seconds.`,
    cause,
  });
}
