import { Injectable } from '@nestjs/common';
import {
  AppError,
  type listPromptVersionsRoute,
  type QueryOf,
  type ResponseOf,
  type restorePromptRoute,
} from '@candor/contracts';
import { Database, findPrompt, listPromptVersions, restorePrompt } from '@candor/persistence';
import { requireRequestContext } from '@candor/runtime';
import { requireCaller } from '../../access/caller.js';
import { toVersion } from '../../versions/to-version.js';
import { RequestTransaction } from '../../request/request-transaction.service.js';
import { notePrompt, promptNotFound } from './prompts.service.js';

@Injectable()
export class PromptVersionsService {
  constructor(
    private readonly database: Database,
    private readonly requests: RequestTransaction,
  ) {}

  async list(
    id: string,
    query: QueryOf<typeof listPromptVersionsRoute>,
  ): Promise<ResponseOf<typeof listPromptVersionsRoute>> {
    notePrompt(id);
    const { tenantId } = requireCaller().scope;
    const page = await this.database.read(async (manager) => {
      if (!(await findPrompt(manager, tenantId, id))) throw promptNotFound();
      return listPromptVersions(manager, tenantId, id, query);
    });
    return { data: page.rows.map(toVersion), pagination: { cursor: page.cursor, hasMore: page.hasMore } };
  }

  restore(id: string, versionId: string): Promise<ResponseOf<typeof restorePromptRoute>> {
    notePrompt(id);
    const { scope, apiKey } = requireCaller();
    requireRequestContext().audit.metadata['versionId'] = versionId;
    return this.requests.run(async (transaction) => {
      const author = { apiKeyId: scope.apiKeyId, name: apiKey.name };
      const restored = await restorePrompt(transaction, scope.tenantId, id, versionId, author);
      switch (restored.kind) {
        case 'no_prompt':
          throw promptNotFound();
        case 'no_version':
          throw new AppError('RESOURCE.NOT_FOUND', {
            message: 'The prompt has no such version.',
            details: { field: 'versionId' },
          });
        case 'restored': {
          const { title, currentVersion } = restored.prompt;
          notePrompt(id, currentVersion);
          return { data: { id, title, currentVersion } };
        }
      }
    });
  }
}
