import { Injectable } from '@nestjs/common';
import { v4 as randomUuid } from 'uuid';
import {
  AppError,
  invalidField,
  mimeTypeSchema,
  type AccessPolicy,
  type CreateDocumentBody,
  type createDocumentRoute,
  type RequestId,
  type ResponseOf,
} from '@candor/contracts';
import { refuseUnsupported } from '@candor/extraction/detect';
import { findDocument, findItemFileFacts, serviceViewer, type NewDocument } from '@candor/persistence';
import { requireRequestContext } from '@candor/runtime';
import { requireCaller } from '../../access/caller.js';
import type { MultipartFile } from '../../uploads/read-multipart.js';
import { IngestService } from '../ingest/ingest.service.js';
import { noteDocument } from './documents.service.js';
import { toDocument } from './to-document.js';

/** Whoever may read uploads at all may read one that names no readers. */
const TENANT_WIDE: AccessPolicy = { provider: 'upload', mode: 'provider_scope' };

@Injectable()
export class CreateDocumentService {
  constructor(private readonly ingest: IngestService) {}

  /** Stored with its job in one commit; a file is read later, by the worker. */
  async create(body: CreateDocumentBody, sent: MultipartFile | null): Promise<ResponseOf<typeof createDocumentRoute>> {
    const file = sent && { ...sent, mediaType: body.mimeType ?? sent.mediaType };
    if (body.file && !file) throw invalidField('file', 'must be sent as multipart/form-data');
    if (file) await refuseUnsupported(file);
    const { requestId } = requireRequestContext();
    const { tenantId } = requireCaller().scope;
    return this.ingest.acceptAs([toNewDocument(body, file)], {
      fieldOf: (_index, field) => field,
      respond: async ([item], transaction) => {
        const created = item && (await findDocument(transaction, serviceViewer(tenantId), item.itemId));
        if (!created) throw new AppError('INTERNAL.UNEXPECTED', { message: 'The document was not stored.' });
        noteDocument(created.id);
        const facts = await findItemFileFacts(transaction, tenantId, created.id, created.version);
        const document = toDocument({ ...created, content: sentText(body) }, facts);
        return { data: { ...document, requestId: requestId as RequestId } };
      },
    });
  }
}

/** What was sent, if that is text as it stands: of what others have written the answer says nothing. */
function sentText({ content, mimeType }: CreateDocumentBody): string | null {
  return mimeType === 'text/html' ? null : (content ?? null);
}

function toNewDocument(body: CreateDocumentBody, file: MultipartFile | null): NewDocument {
  const { title, content = '', mimeType = 'text/plain', file: _description, externalId, accessPolicy, ...rest } = body;
  const common = {
    ...rest,
    provider: 'upload' as const,
    externalId: externalId ?? randomUuid(),
    accessPolicy: accessPolicy ?? TENANT_WIDE,
  };
  if (!file) {
    const textType = mimeTypeSchema.parse(mimeType);
    return { ...common, sourceKind: 'document', title: title ?? '', body: content, mimeType: textType };
  }
  return {
    ...common,
    sourceKind: 'file',
    title: title ?? file.name,
    file: { ...file, titleIsDefault: title === undefined },
  };
}
