import { Injectable } from '@nestjs/common';
import {
  allowsAction,
  AppError,
  type listDocumentVersionsRoute,
  type QueryOf,
  type RequestId,
  type ResponseOf,
  type restoreDocumentRoute,
  type UpdateDocumentBody,
  type updateDocumentRoute,
} from '@candor/contracts';
import {
  Database,
  findDocument,
  findItemFileFacts,
  findSentVersion,
  findSourcesAmong,
  findVersionNumber,
  listDocumentVersions,
  lockDocument,
  noteItemVersion,
  type AcceptedItem,
  type DocumentHead,
  type NewDocument,
  type SentVersion,
  type Transaction,
  type UnchangedDocument,
} from '@candor/persistence';
import { requireRequestContext } from '@candor/runtime';
import { requireCaller, visibilityOf } from '../../access/caller.js';
import { toVersion } from '../../versions/to-version.js';
import { IngestService } from '../ingest/ingest.service.js';
import { documentNotFound, noteDocument } from './documents.service.js';
import { toDocument } from './to-document.js';
import { toChanged, toRestored } from './to-rewritten.js';

/** Changes go the way that all documents go: stored with their jobs in one commit, searchable later. */
@Injectable()
export class DocumentVersionsService {
  constructor(
    private readonly database: Database,
    private readonly ingest: IngestService,
  ) {}

  async list(
    id: string,
    query: QueryOf<typeof listDocumentVersionsRoute>,
  ): Promise<ResponseOf<typeof listDocumentVersionsRoute>> {
    noteDocument(id);
    const viewer = visibilityOf(requireCaller());
    const page = await this.database.read(async (manager) => {
      if (!(await findDocument(manager, viewer, id))) throw documentNotFound();
      return listDocumentVersions(manager, viewer.tenantId, id, query);
    });
    return { data: page.rows.map(toVersion), pagination: { cursor: page.cursor, hasMore: page.hasMore } };
  }

  update(id: string, body: UpdateDocumentBody): Promise<ResponseOf<typeof updateDocumentRoute>> {
    noteDocument(id);
    const { requestId } = requireRequestContext();
    const viewer = visibilityOf(requireCaller());
    return this.ingest.run(async (transaction) => {
      const head = await this.lock(transaction, id);
      const newest = await findSentVersion(transaction, viewer.tenantId, id, head.latestVersion);
      const item = await this.write(transaction, newest && toChanged(head, newest, body));
      if (body.changeLog !== undefined) await noteItemVersion(transaction, viewer.tenantId, item, body.changeLog);
      const changed = await findDocument(transaction, viewer, id);
      if (!changed) throw documentNotFound();
      const file = await findItemFileFacts(transaction, viewer.tenantId, id, changed.version);
      // Who may only write learns nothing of what others have written.
      const content = allowsAction(requireCaller().scope, 'documents:read') ? changed.content : (body.content ?? null);
      return { data: { ...toDocument({ ...changed, content }, file), requestId: requestId as RequestId } };
    });
  }

  restore(id: string, versionId: string): Promise<ResponseOf<typeof restoreDocumentRoute>> {
    noteDocument(id);
    requireRequestContext().audit.metadata['versionId'] = versionId;
    const viewer = visibilityOf(requireCaller());
    const { tenantId } = viewer;
    return this.ingest.run(async (transaction) => {
      const head = await this.lock(transaction, id);
      const chosen = await findChosen(transaction, tenantId, id, versionId);
      const item = await this.write(transaction, toRestored(head, chosen));
      if (item.version > head.latestVersion)
        await noteItemVersion(transaction, tenantId, item, `Restored version ${chosen.version}`);
      const restored = await findDocument(transaction, viewer, id);
      if (!restored) throw documentNotFound();
      return { data: { id, title: restored.title, currentVersion: restored.version } };
    });
  }

  private async lock(transaction: Transaction, id: string): Promise<DocumentHead> {
    const viewer = visibilityOf(requireCaller());
    const head = await lockDocument(transaction, viewer, id);
    if (!head) throw documentNotFound();
    const sources = await findSourcesAmong(transaction, viewer.tenantId, head.connectorId ? [head.connectorId] : []);
    if (sources.size > 0)
      throw new AppError('RESOURCE.CONFLICT', {
        message: 'The syncs of its source write this document: change it there.',
      });
    return head;
  }

  private async write(
    transaction: Transaction,
    document: NewDocument | UnchangedDocument | null,
  ): Promise<AcceptedItem> {
    if (!document) throw new AppError('RESOURCE.CONFLICT', { message: 'The content of this version is gone.' });
    const [item] = await this.ingest.store(transaction, [document]);
    if (!item) throw new Error('the document was not stored');
    requireRequestContext().audit.metadata['version'] = item.version;
    return item;
  }
}

async function findChosen(
  transaction: Transaction,
  tenantId: string,
  id: string,
  versionId: string,
): Promise<SentVersion> {
  const number = await findVersionNumber(transaction, tenantId, id, versionId);
  const chosen = number === null ? null : await findSentVersion(transaction, tenantId, id, number);
  if (chosen) return chosen;
  throw new AppError('RESOURCE.NOT_FOUND', {
    message: 'The document has no such version.',
    details: { field: 'versionId' },
  });
}
