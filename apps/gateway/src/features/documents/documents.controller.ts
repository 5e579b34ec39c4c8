import { Controller } from '@nestjs/common';
import {
  createDocumentRoute,
  deleteDocumentRoute,
  getDocumentRoute,
  listDocumentsRoute,
  listDocumentVersionsRoute,
  restoreDocumentRoute,
  updateDocumentRoute,
  type ResponseOf,
} from '@candor/contracts';
import { Contract, ContractInput, type InputOf } from '@candor/runtime';
import type { MultipartFile } from '../../uploads/read-multipart.js';
import { Upload } from '../../uploads/upload.interceptor.js';
import { CreateDocumentService } from './create-document.service.js';
import { DocumentVersionsService } from './document-versions.service.js';
import { DocumentsService } from './documents.service.js';

@Controller()
export class DocumentsController {
  constructor(
    private readonly documents: DocumentsService,
    private readonly creation: CreateDocumentService,
    private readonly versions: DocumentVersionsService,
  ) {}

  @Contract(listDocumentsRoute)
  list(@ContractInput() { query }: InputOf<typeof listDocumentsRoute>): Promise<ResponseOf<typeof listDocumentsRoute>> {
    return this.documents.list(query);
  }

  @Contract(createDocumentRoute)
  create(
    @ContractInput() { body }: InputOf<typeof createDocumentRoute>,
    @Upload() file: MultipartFile | null,
  ): Promise<ResponseOf<typeof createDocumentRoute>> {
    return this.creation.create(body, file);
  }

  @Contract(getDocumentRoute)
  read(@ContractInput() { params }: InputOf<typeof getDocumentRoute>): Promise<ResponseOf<typeof getDocumentRoute>> {
    return this.documents.read(params.id);
  }

  @Contract(deleteDocumentRoute)
  delete(@ContractInput() { params }: InputOf<typeof deleteDocumentRoute>): Promise<null> {
    return this.documents.delete(params.id);
  }

  @Contract(updateDocumentRoute)
  update(
    @ContractInput() { params, body }: InputOf<typeof updateDocumentRoute>,
  ): Promise<ResponseOf<typeof updateDocumentRoute>> {
    return this.versions.update(params.id, body);
  }

  @Contract(listDocumentVersionsRoute)
  listVersions(
    @ContractInput() { params, query }: InputOf<typeof listDocumentVersionsRoute>,
  ): Promise<ResponseOf<typeof listDocumentVersionsRoute>> {
    return this.versions.list(params.id, query);
  }

  @Contract(restoreDocumentRoute)
  restore(
    @ContractInput() { params, body }: InputOf<typeof restoreDocumentRoute>,
  ): Promise<ResponseOf<typeof restoreDocumentRoute>> {
    return this.versions.restore(params.id, body.versionId);
  }
}
