import { Inject, Injectable } from '@nestjs/common';
import {
  AppError,
  type AuditEventInput,
  invalidField,
  type IngestResponse,
  type ItemId,
  type QuotaLimits,
  type RequestId,
} from '@candor/contracts';
import { writeAuditEvents } from '@candor/audit';
import {
  acceptDocuments,
  findMissingCollections,
  findSourcesAmong,
  limitOf,
  type AcceptedItem,
  type NewDocument,
  type Transaction,
  withinStocks,
  type StockLimits,
  type UnchangedDocument,
} from '@candor/persistence';
import { requireRequestContext } from '@candor/runtime';
import { requireCaller, type Caller } from '../../access/caller.js';
import type { GatewayLimits } from '../../config.js';
import { RequestTransaction } from '../../request/request-transaction.service.js';
import { GATEWAY_LIMITS } from '../../tokens.js';

@Injectable()
export class IngestService {
  constructor(
    private readonly requests: RequestTransaction,
    @Inject(GATEWAY_LIMITS) private readonly limits: GatewayLimits,
  ) {}

  accept(documents: readonly NewDocument[]): Promise<IngestResponse> {
    const { requestId } = requireRequestContext();
    return this.acceptAs(documents, {
      fieldOf: (index, field) => `documents[${index}].${field}`,
      respond: async (items) => toResponse(requestId, items),
    });
  }

  /** Stores all documents or none; item, version, outbox row and audit events in one commit. */
  async acceptAs<Response>(
    documents: readonly NewDocument[],
    { fieldOf, respond }: AcceptOptions<Response>,
  ): Promise<Response> {
    const caller = requireCaller();
    requireProviders(caller, documents, fieldOf);
    refuseTwins(documents);
    return this.run(async (transaction) => {
      await requireCollections(transaction, caller, documents, fieldOf);
      await refuseSyncedSources(transaction, caller, documents, fieldOf);
      const items = await this.store(transaction, documents, fieldOf);
      return respond(items, transaction);
    });
  }

  /** Items, versions, outbox rows and audit events, of documents that were checked already. */
  async store(
    transaction: Transaction,
    documents: readonly (NewDocument | UnchangedDocument)[],
    fieldOf: FieldOf = (_index, field) => field,
  ): Promise<AcceptedItem[]> {
    const caller = requireCaller();
    const { requestId, audit } = requireRequestContext();
    const { tenantId, apiKeyId } = caller.scope;
    const refuse = (index: number): AppError => outOfScope(fieldOf(index, 'externalId'));
    const writer = { apiKeyId, scope: caller.scope, refuse };
    const items = await acceptDocuments(transaction, tenantId, requestId, documents, apiKeyId, { writer });
    await writeAuditEvents(
      transaction,
      items.filter(({ change }) => change !== 'none').map((item) => eventOf(caller, requestId, item)),
    );
    audit.metadata['items'] = items.length;
    audit.metadata['accepted'] = items.filter((item) => item.status === 'accepted').length;
    return items;
  }

  /** A request that stores documents, within what the tenant may store. */
  run<Response>(work: (transaction: Transaction) => Promise<Response>): Promise<Response> {
    const { scope, tenant } = requireCaller();
    return this.requests.run((transaction) =>
      withinStocks(transaction, scope.tenantId, this.stockLimits(tenant.quotas), () => work(transaction)),
    );
  }

  private stockLimits(own: QuotaLimits): StockLimits {
    const limit = (quota: keyof StockLimits): number | null => limitOf(quota, own, this.limits.quotas ?? {});
    return { items: limit('items'), storageBytes: limit('storageBytes'), queuedIngestions: limit('queuedIngestions') };
  }
}

type FieldOf = (index: number, field: string) => string;

export interface AcceptOptions<Response> {
  /** Name of a document's field as the caller knows it. */
  fieldOf: FieldOf;
  /** The response, from what the commit will hold. */
  respond: (items: readonly AcceptedItem[], transaction: Transaction) => Promise<Response>;
}

/** A key that may not read a provider may not write into it either. */
function requireProviders({ scope }: Caller, documents: readonly NewDocument[], fieldOf: FieldOf): void {
  const allowed = scope.allowedProviders;
  if (!allowed) return;
  const index = documents.findIndex((document) => !allowed.includes(document.provider));
  if (index < 0) return;
  throw outOfScope(fieldOf(index, 'provider'));
}

function outOfScope(field: string): AppError {
  return new AppError('AUTH.ACTION_NOT_ALLOWED', {
    message: `${field} is not one that this API key may use.`,
    details: { field },
  });
}

function refuseTwins(documents: readonly NewDocument[]): void {
  const seen = new Map<string, number>();
  documents.forEach(({ provider, connectorId, externalId }, index) => {
    const identity = JSON.stringify([provider, connectorId ?? null, externalId]);
    const first = seen.get(identity);
    if (first !== undefined)
      throw invalidField(
        `documents[${index}].externalId`,
        `must differ from that of documents[${first}], which is the same item`,
      );
    seen.set(identity, index);
  });
}

/** What a source's syncs wrote must not be overwritten under its name, nor come back after its removal was certified. */
async function refuseSyncedSources(
  transaction: Transaction,
  { scope }: Caller,
  documents: readonly NewDocument[],
  fieldOf: FieldOf,
): Promise<void> {
  const ids = documents.flatMap(({ connectorId }) => connectorId ?? []);
  const synced = await findSourcesAmong(transaction, scope.tenantId, ids);
  const index = documents.findIndex(({ connectorId }) => connectorId && synced.has(connectorId));
  if (index >= 0)
    throw invalidField(fieldOf(index, 'connectorId'), 'must not be a source of /v1/sources: its syncs write its items');
}

async function requireCollections(
  transaction: Transaction,
  { scope }: Caller,
  documents: readonly NewDocument[],
  fieldOf: FieldOf,
): Promise<void> {
  const missing = await findMissingCollections(
    transaction,
    scope.tenantId,
    documents.flatMap((document) => document.collectionIds ?? []),
  );
  if (missing.size === 0) return;
  documents.forEach((document, index) => {
    const position = (document.collectionIds ?? []).findIndex((id) => missing.has(id));
    if (position >= 0)
      throw invalidField(fieldOf(index, `collectionIds[${position}]`), 'must be an existing collection');
  });
}

function eventOf({ scope }: Caller, requestId: string, item: AcceptedItem): AuditEventInput {
  return {
    tenantId: scope.tenantId,
    requestId,
    action: 'item.accept',
    outcome: 'accepted',
    actorApiKeyId: scope.apiKeyId,
    actorType: scope.actorType,
    targetType: 'source_item',
    targetId: item.itemId,
    metadata: { provider: item.provider, externalId: item.externalId, version: item.version, change: item.change },
  };
}

function toResponse(requestId: string, items: readonly AcceptedItem[]): IngestResponse {
  return {
    requestId: requestId as RequestId,
    items: items.map((item) => ({
      externalId: item.externalId,
      provider: item.provider,
      sourceItemId: item.itemId as ItemId,
      version: item.version,
      status: item.status,
    })),
  };
}
