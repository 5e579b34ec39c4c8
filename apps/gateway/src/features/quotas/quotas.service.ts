import { Inject, Injectable } from '@nestjs/common';
import {
  AppError,
  QUOTAS,
  type Quota,
  type QuotaLimits,
  type quotasRoute,
  type QuotaState,
  type ResponseOf,
} from '@candor/contracts';
import {
  Database,
  findQuotaLimits,
  limitOf,
  readStocks,
  saveQuotaLimits,
  type Stocks,
  type Transaction,
} from '@candor/persistence';
import { requireRequestContext } from '@candor/runtime';
import { requireCaller } from '../../access/caller.js';
import { RateLimiterService } from '../../access/rate-limiter.service.js';
import { rateKeyOf, RATE_WINDOWS, type RateQuota } from '../../access/rate-quotas.js';
import type { GatewayLimits } from '../../config.js';
import { RequestTransaction } from '../../request/request-transaction.service.js';
import { GATEWAY_LIMITS } from '../../tokens.js';

type TenantQuotas = ResponseOf<typeof quotasRoute>;

@Injectable()
export class QuotasService {
  constructor(
    private readonly database: Database,
    private readonly requests: RequestTransaction,
    private readonly rateLimiter: RateLimiterService,
    @Inject(GATEWAY_LIMITS) private readonly limits: GatewayLimits,
  ) {}

  read(): Promise<TenantQuotas> {
    const { scope } = requireCaller();
    if (scope.allowedProviders !== null || scope.principals !== null)
      throw new AppError('AUTH.ACTION_NOT_ALLOWED', {
        message: 'Quotas count the whole tenant: this API key sees a part of it.',
      });
    return this.database.read((manager) => this.show(manager, scope.tenantId));
  }

  /** Only the installation's first key may. */
  set({ tenantId, limits }: { tenantId: string; limits: QuotaLimits }): Promise<TenantQuotas> {
    if (!requireCaller().apiKey.isInstallationKey)
      throw new AppError('AUTH.ACTION_NOT_ALLOWED', { message: "Only the installation's first key can set quotas." });
    const { audit } = requireRequestContext();
    Object.assign(audit, { targetType: 'tenant', targetId: tenantId });
    audit.metadata['limits'] = limits;
    return this.requests.run(
      async (transaction) => {
        if (!(await saveQuotaLimits(transaction, tenantId, limits))) throw new AppError('RESOURCE.NOT_FOUND');
        return this.show(transaction, tenantId);
      },
      { alsoOf: tenantId },
    );
  }

  private async show(transaction: Transaction, tenantId: string): Promise<TenantQuotas> {
    const own = (await findQuotaLimits(transaction, tenantId)) ?? {};
    const stocks = await readStocks(transaction, tenantId);
    const quotas = await Promise.all(QUOTAS.map((quota) => this.stateOf(quota, tenantId, own, stocks)));
    return { data: { tenantId, quotas } };
  }

  private async stateOf(quota: Quota, tenantId: string, own: QuotaLimits, stocks: Stocks): Promise<QuotaState> {
    const base = { quota, limit: limitOf(quota, own, this.limits.quotas ?? {}), isOwn: own[quota] !== undefined };
    if (!isRate(quota)) return { ...base, used: stocks[quota], resetAt: null };
    const taken = await this.rateLimiter.peek(rateKeyOf(tenantId, quota), base.limit, RATE_WINDOWS[quota]);
    return { ...base, used: taken.used, resetAt: taken.resetAt };
  }
}

function isRate(quota: Quota): quota is RateQuota {
  return quota in RATE_WINDOWS;
}
