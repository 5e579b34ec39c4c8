import { Injectable } from '@nestjs/common';
import {
  AppError,
  type DeadLetter,
  type ItemId,
  type QueryOf,
  type RequestId,
  type ResponseOf,
  type deadLettersRoute,
  type retryDeadLetterRoute,
} from '@candor/contracts';
import { Database, listDeadLetters, retryDeadLetter, type DeadLetterRow } from '@candor/persistence';
import { requireRequestContext } from '@candor/runtime';
import { requireCaller, visibilityOf } from '../../access/caller.js';
import { RequestTransaction } from '../../request/request-transaction.service.js';

@Injectable()
export class DeadLetterService {
  constructor(
    private readonly database: Database,
    private readonly requests: RequestTransaction,
  ) {}

  async list(page: QueryOf<typeof deadLettersRoute>): Promise<ResponseOf<typeof deadLettersRoute>> {
    const viewer = visibilityOf(requireCaller());
    const found = await this.database.read((manager) => listDeadLetters(manager, viewer, page));
    return { data: found.rows.map(toView), pagination: { cursor: found.cursor, hasMore: found.hasMore } };
  }

  retry(id: string): Promise<ResponseOf<typeof retryDeadLetterRoute>> {
    const viewer = visibilityOf(requireCaller());
    const { audit } = requireRequestContext();
    Object.assign(audit, { targetType: 'dead_letter', targetId: id });
    return this.requests.run(async (transaction) => {
      const result = await retryDeadLetter(transaction, viewer, id);
      switch (result.kind) {
        case 'not_found':
          throw new AppError('RESOURCE.NOT_FOUND', { message: 'There is no such dead letter.' });
        case 'not_retryable':
          throw new AppError('RESOURCE.CONFLICT', {
            message: 'It was retried before, or its item has a newer version or was deleted.',
          });
        case 'retried':
          return { data: toView(result.letter) };
      }
    });
  }
}

function toView(letter: DeadLetterRow): DeadLetter {
  return {
    id: letter.id,
    requestId: letter.requestId as RequestId,
    job: letter.jobName,
    sourceItemId: letter.itemId as ItemId | null,
    externalId: letter.externalId,
    version: letter.version,
    error: { type: letter.errorType, message: letter.errorMessage },
    createdAt: letter.createdAt.toISOString(),
    retriedAt: letter.retriedAt?.toISOString() ?? null,
  };
}
