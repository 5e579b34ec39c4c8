import { Injectable } from '@nestjs/common';
import {
  AppError,
  type addCollectionItemsRoute,
  type listCollectionItemsRoute,
  type MembershipBody,
  type QueryOf,
  type removeCollectionItemsRoute,
  type ResponseOf,
} from '@candor/contracts';
import {
  addCollectionItems,
  Database,
  filterPrompts,
  filterVisibleItems,
  findCollection,
  listCollectionItems,
  removeCollectionItems,
  type LibraryViewer,
  type Transaction,
} from '@candor/persistence';
import { requireRequestContext } from '@candor/runtime';
import { libraryViewerOf, requireCaller } from '../../access/caller.js';
import { RequestTransaction } from '../../request/request-transaction.service.js';
import { collectionNotFound, noteCollection } from './collections.service.js';

/** Membership counts from the next query on: collection scope is resolved in the database at request time. */
@Injectable()
export class CollectionItemsService {
  constructor(
    private readonly database: Database,
    private readonly requests: RequestTransaction,
  ) {}

  async list(
    id: string,
    query: QueryOf<typeof listCollectionItemsRoute>,
  ): Promise<ResponseOf<typeof listCollectionItemsRoute>> {
    noteCollection(id);
    const viewer = libraryViewerOf(requireCaller());
    const page = await this.database.read(async (manager) => {
      if (!(await findCollection(manager, viewer, id))) throw collectionNotFound();
      return listCollectionItems(manager, viewer, id, query);
    });
    return {
      data: page.rows.map(({ itemId, itemType, title }) => ({ itemId, itemType, title })),
      pagination: { cursor: page.cursor, hasMore: page.hasMore },
    };
  }

  add(id: string, body: MembershipBody): Promise<ResponseOf<typeof addCollectionItemsRoute>> {
    const { viewer, itemIds } = this.membership(id, body);
    return this.requests.run(async (transaction) => {
      if (!(await findCollection(transaction, viewer, id))) throw collectionNotFound();
      const visible = await filterVisible(transaction, viewer, itemIds, body.itemType);
      const missing = body.itemIds.findIndex((itemId) => !visible.has(itemId));
      if (missing >= 0)
        throw new AppError('RESOURCE.NOT_FOUND', {
          message: `itemIds[${missing}] is no ${body.itemType} that this key can see.`,
          details: { field: `itemIds[${missing}]` },
        });
      const added = await addCollectionItems(transaction, viewer.tenantId, id, itemIds, body.itemType);
      return { data: { added, alreadyInCollection: itemIds.length - added } };
    });
  }

  remove(id: string, body: MembershipBody): Promise<ResponseOf<typeof removeCollectionItemsRoute>> {
    const { viewer, itemIds } = this.membership(id, body);
    return this.requests.run(async (transaction) => {
      if (!(await findCollection(transaction, viewer, id))) throw collectionNotFound();
      const visible = await filterVisible(transaction, viewer, itemIds, body.itemType);
      const removed = await removeCollectionItems(transaction, viewer.tenantId, id, [...visible], body.itemType);
      return { data: { removed } };
    });
  }

  private membership(id: string, body: MembershipBody) {
    noteCollection(id);
    const viewer = libraryViewerOf(requireCaller());
    if (body.itemType === 'prompt' && !viewer.prompts)
      throw new AppError('AUTH.ACTION_NOT_ALLOWED', {
        message: 'itemType "prompt" needs the action prompts:*, which the API key does not have.',
        details: { action: 'prompts:*', field: 'itemType' },
      });
    const itemIds = [...new Set(body.itemIds)];
    Object.assign(requireRequestContext().audit.metadata, { itemIds, itemType: body.itemType });
    return { viewer, itemIds };
  }
}

function filterVisible(
  transaction: Transaction,
  viewer: LibraryViewer,
  itemIds: readonly string[],
  itemType: MembershipBody['itemType'],
): Promise<Set<string>> {
  return itemType === 'prompt'
    ? filterPrompts(transaction, viewer.tenantId, itemIds)
    : filterVisibleItems(transaction, viewer, itemIds);
}
