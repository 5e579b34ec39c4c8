import { Injectable } from '@nestjs/common';
import {
  AppError,
  invalidField,
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
  filterVisibleItems,
  findCollection,
  listCollectionItems,
  removeCollectionItems,
} from '@candor/persistence';
import { requireRequestContext } from '@candor/runtime';
import { requireCaller, visibilityOf } from '../../access/caller.js';
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
    const viewer = visibilityOf(requireCaller());
    const page = await this.database.read(async (manager) => {
      if (!(await findCollection(manager, viewer, id))) throw collectionNotFound();
      return listCollectionItems(manager, viewer, id, query);
    });
    return {
      data: page.rows.map(({ itemId, title }) => ({ itemId, itemType: 'document', title })),
      pagination: { cursor: page.cursor, hasMore: page.hasMore },
    };
  }

  add(id: string, body: MembershipBody): Promise<ResponseOf<typeof addCollectionItemsRoute>> {
    const { viewer, itemIds } = this.membership(id, body);
    return this.requests.run(async (transaction) => {
      if (!(await findCollection(transaction, viewer, id))) throw collectionNotFound();
      const visible = await filterVisibleItems(transaction, viewer, itemIds);
      const missing = body.itemIds.findIndex((itemId) => !visible.has(itemId));
      if (missing >= 0)
        throw new AppError('RESOURCE.NOT_FOUND', {
          message: `itemIds[${missing}] is no document that this key can see.`,
          details: { field: `itemIds[${missing}]` },
        });
      const added = await addCollectionItems(transaction, viewer.tenantId, id, itemIds);
      return { data: { added, alreadyInCollection: itemIds.length - added } };
    });
  }

  remove(id: string, body: MembershipBody): Promise<ResponseOf<typeof removeCollectionItemsRoute>> {
    const { viewer, itemIds } = this.membership(id, body);
    return this.requests.run(async (transaction) => {
      if (!(await findCollection(transaction, viewer, id))) throw collectionNotFound();
      const visible = await filterVisibleItems(transaction, viewer, itemIds);
      const removed = await removeCollectionItems(transaction, viewer.tenantId, id, [...visible]);
      return { data: { removed } };
    });
  }

  private membership(id: string, body: MembershipBody) {
    noteCollection(id);
    if (body.itemType === 'prompt')
      throw invalidField('itemType', 'must be "document": there are no prompts to collect yet');
    const itemIds = [...new Set(body.itemIds)];
    requireRequestContext().audit.metadata['itemIds'] = itemIds;
    return { viewer: visibilityOf(requireCaller()), itemIds };
  }
}
