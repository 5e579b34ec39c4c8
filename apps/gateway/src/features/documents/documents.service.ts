import { Injectable } from '@nestjs/common';
import { AppError, type Document, type listDocumentsRoute, type QueryOf, type ResponseOf } from '@candor/contracts';
import { Database, findDocument, findItemFileFacts, listDocuments } from '@candor/persistence';
import { requireRequestContext } from '@candor/runtime';
import { requireCaller, visibilityOf } from '../../access/caller.js';
import { SourceItemsService } from '../source-items/source-items.service.js';
import { toDocument, toDocumentSummary } from './to-document.js';

@Injectable()
export class DocumentsService {
  constructor(
    private readonly database: Database,
    private readonly items: SourceItemsService,
  ) {}

  async list(filter: QueryOf<typeof listDocumentsRoute>): Promise<ResponseOf<typeof listDocumentsRoute>> {
    const viewer = visibilityOf(requireCaller());
    const page = await this.database.read((manager) => listDocuments(manager, viewer, filter));
    return { data: page.rows.map(toDocumentSummary), pagination: { cursor: page.cursor, hasMore: page.hasMore } };
  }

  /** 404 alike for absent, deleted, out of scope and another tenant's. */
  async read(id: string): Promise<{ data: Document }> {
    noteDocument(id);
    const viewer = visibilityOf(requireCaller());
    return this.database.read(async (manager) => {
      const found = await findDocument(manager, viewer, id);
      if (!found) throw documentNotFound();
      const file = await findItemFileFacts(manager, viewer.tenantId, found.id, found.version);
      return { data: toDocument(found, file) };
    });
  }

  async delete(id: string): Promise<null> {
    noteDocument(id);
    const viewer = visibilityOf(requireCaller());
    if (!(await this.database.read((manager) => findDocument(manager, viewer, id)))) throw documentNotFound();
    await this.items.delete(id);
    return null;
  }
}

export function noteDocument(id: string): void {
  Object.assign(requireRequestContext().audit, { targetType: 'source_item', targetId: id });
}

export function documentNotFound(): AppError {
  return new AppError('RESOURCE.NOT_FOUND', { message: 'There is no such document.' });
}
