import { Injectable } from '@nestjs/common';
import { AppError, type Feedback, type FeedbackBody } from '@candor/contracts';
import { findAskedRequest, saveFeedback } from '@candor/persistence';
import { requireRequestContext } from '@candor/runtime';
import { requireCaller } from '../../access/caller.js';
import { RequestTransaction } from '../../request/request-transaction.service.js';
import { labelAnswerable } from './derive-answerable.js';

@Injectable()
export class FeedbackService {
  constructor(private readonly requests: RequestTransaction) {}

  /** 404 alike for requests that are unknown, another tenant's, or asked nothing. */
  create({ requestId, rating, note, answerable }: FeedbackBody): Promise<{ data: Feedback }> {
    const { audit } = requireRequestContext();
    Object.assign(audit, { targetType: 'request', targetId: requestId });
    const { tenantId, apiKeyId } = requireCaller().scope;
    return this.requests.run(async (transaction) => {
      const asked = await findAskedRequest(transaction, tenantId, requestId);
      if (!asked) throw new AppError('RESOURCE.NOT_FOUND', { message: 'There is no such request.' });
      const label = labelAnswerable(asked, { rating, answerable });
      // The note may quote anything: it is not for the trail.
      Object.assign(audit.metadata, { rating, answerable: label, hasNote: note !== undefined, rated: asked.action });
      const saved = await saveFeedback(transaction, {
        tenantId,
        requestId,
        apiKeyId,
        rating,
        note: note ?? null,
        answerable: label,
      });
      return {
        data: {
          id: saved.id,
          requestId,
          rating,
          note: saved.note,
          answerable: label,
          createdAt: saved.createdAt.toISOString(),
        },
      };
    });
  }
}
