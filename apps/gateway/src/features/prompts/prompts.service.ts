import { Injectable } from '@nestjs/common';
import {
  AppError,
  type CreatePromptBody,
  type listPromptsRoute,
  type Prompt,
  type QueryOf,
  type ResponseOf,
  type UpdatePromptBody,
} from '@candor/contracts';
import { Database, deletePrompt, findPrompt, insertPrompt, listPrompts, updatePrompt } from '@candor/persistence';
import { requireRequestContext } from '@candor/runtime';
import { requireCaller } from '../../access/caller.js';
import { RequestTransaction } from '../../request/request-transaction.service.js';
import { toPrompt, toPromptSummary } from './to-prompt.js';

/** Templates of a tenant, for whoever may use them. They are stored and found, and never searched for evidence. */
@Injectable()
export class PromptsService {
  constructor(
    private readonly database: Database,
    private readonly requests: RequestTransaction,
  ) {}

  async list({ q, ...filter }: QueryOf<typeof listPromptsRoute>): Promise<ResponseOf<typeof listPromptsRoute>> {
    const { tenantId } = requireCaller().scope;
    const page = await this.database.read((manager) => listPrompts(manager, tenantId, { ...filter, search: q }));
    return { data: page.rows.map(toPromptSummary), pagination: { cursor: page.cursor, hasMore: page.hasMore } };
  }

  async read(id: string): Promise<{ data: Prompt }> {
    notePrompt(id);
    const { tenantId } = requireCaller().scope;
    const found = await this.database.read((manager) => findPrompt(manager, tenantId, id));
    if (!found) throw promptNotFound();
    return { data: toPrompt(found) };
  }

  create(body: CreatePromptBody): Promise<{ data: Prompt }> {
    const { scope, apiKey } = requireCaller();
    return this.requests.run(async (transaction) => {
      const author = { apiKeyId: scope.apiKeyId, name: apiKey.name };
      const created = await insertPrompt(transaction, scope.tenantId, author, body);
      notePrompt(created.id, created.currentVersion);
      return { data: toPrompt(created) };
    });
  }

  update(id: string, body: UpdatePromptBody): Promise<{ data: Prompt }> {
    notePrompt(id);
    const { scope, apiKey } = requireCaller();
    return this.requests.run(async (transaction) => {
      const author = { apiKeyId: scope.apiKeyId, name: apiKey.name };
      const updated = await updatePrompt(transaction, scope.tenantId, id, author, body);
      if (!updated) throw promptNotFound();
      notePrompt(id, updated.currentVersion);
      return { data: toPrompt(updated) };
    });
  }

  delete(id: string): Promise<null> {
    notePrompt(id);
    return this.requests.run(async (transaction) => {
      if (!(await deletePrompt(transaction, requireCaller().scope.tenantId, id))) throw promptNotFound();
      return null;
    });
  }
}

export function notePrompt(id: string, version?: number): void {
  const { audit } = requireRequestContext();
  Object.assign(audit, { targetType: 'prompt', targetId: id });
  if (version !== undefined) audit.metadata['version'] = version;
}

export function promptNotFound(): AppError {
  return new AppError('RESOURCE.NOT_FOUND', { message: 'There is no such prompt.' });
}
