import { Injectable } from '@nestjs/common';
import {
  AppError,
  type Collection,
  type CreateCollectionBody,
  type listCollectionsRoute,
  type QueryOf,
  type ResponseOf,
  type UpdateCollectionBody,
} from '@candor/contracts';
import {
  Database,
  deleteCollection,
  findCollection,
  insertCollection,
  listCollections,
  updateCollection,
  type CollectionRow,
} from '@candor/persistence';
import { requireRequestContext } from '@candor/runtime';
import { requireCaller, libraryViewerOf } from '../../access/caller.js';
import { RequestTransaction } from '../../request/request-transaction.service.js';

@Injectable()
export class CollectionsService {
  constructor(
    private readonly database: Database,
    private readonly requests: RequestTransaction,
  ) {}

  async list(query: QueryOf<typeof listCollectionsRoute>): Promise<ResponseOf<typeof listCollectionsRoute>> {
    const viewer = libraryViewerOf(requireCaller());
    const page = await this.database.read((manager) => listCollections(manager, viewer, query));
    return { data: page.rows.map(toView), pagination: { cursor: page.cursor, hasMore: page.hasMore } };
  }

  async read(id: string): Promise<{ data: Collection }> {
    noteCollection(id);
    const viewer = libraryViewerOf(requireCaller());
    const found = await this.database.read((manager) => findCollection(manager, viewer, id));
    if (!found) throw collectionNotFound();
    return { data: toView(found) };
  }

  create(body: CreateCollectionBody): Promise<{ data: Collection }> {
    return this.requests.run(async (transaction) => {
      const created = await insertCollection(transaction, requireCaller().scope.tenantId, body);
      noteCollection(created.id);
      return { data: toView(created) };
    });
  }

  update(id: string, body: UpdateCollectionBody): Promise<{ data: Collection }> {
    noteCollection(id);
    const viewer = libraryViewerOf(requireCaller());
    return this.requests.run(async (transaction) => {
      if (!(await updateCollection(transaction, viewer.tenantId, id, body))) throw collectionNotFound();
      const updated = await findCollection(transaction, viewer, id);
      if (!updated) throw collectionNotFound();
      return { data: toView(updated) };
    });
  }

  delete(id: string): Promise<null> {
    noteCollection(id);
    return this.requests.run(async (transaction) => {
      if (!(await deleteCollection(transaction, requireCaller().scope.tenantId, id))) throw collectionNotFound();
      return null;
    });
  }
}

export function noteCollection(id: string): void {
  Object.assign(requireRequestContext().audit, { targetType: 'collection', targetId: id });
}

export function collectionNotFound(): AppError {
  return new AppError('RESOURCE.NOT_FOUND', { message: 'There is no such collection.' });
}

function toView({ id, name, description, color, icon, itemCount, tags }: CollectionRow): Collection {
  return { id, name, description, color, icon, itemCount, tags };
}
