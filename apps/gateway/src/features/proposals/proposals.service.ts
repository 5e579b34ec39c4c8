import { Injectable } from '@nestjs/common';
import { AppError, type listProposalsRoute, type Proposal, type QueryOf, type ResponseOf } from '@candor/contracts';
import { Database, listProposals, lockProposal, reviewProposal, type ProposalRow } from '@candor/persistence';
import { requireRequestContext } from '@candor/runtime';
import { requireCaller, visibilityOf } from '../../access/caller.js';
import { RequestTransaction } from '../../request/request-transaction.service.js';

/** What each finding is recorded as once a person approves it: that two documents disagree decides for neither. */
const RELATION = 'conflicts_with';

@Injectable()
export class ProposalsService {
  constructor(
    private readonly database: Database,
    private readonly requests: RequestTransaction,
  ) {}

  async list(query: QueryOf<typeof listProposalsRoute>): Promise<ResponseOf<typeof listProposalsRoute>> {
    const viewer = visibilityOf(requireCaller());
    const page = await this.database.read((manager) => listProposals(manager, viewer, query));
    return { data: page.rows.map(toProposal), pagination: { cursor: page.cursor, hasMore: page.hasMore } };
  }

  /** 404 alike for proposals that are absent or about items that the reviewer may not see. */
  review(id: string, state: 'approved' | 'rejected', note: string | undefined): Promise<{ data: Proposal }> {
    const { audit } = requireRequestContext();
    Object.assign(audit, { targetType: 'proposal', targetId: id });
    const caller = requireCaller();
    const viewer = visibilityOf(caller);
    return this.requests.run(async (transaction) => {
      const proposal = await lockProposal(transaction, viewer, id);
      if (!proposal) throw new AppError('RESOURCE.NOT_FOUND', { message: 'There is no such proposal.' });
      if (proposal.state !== 'pending')
        throw new AppError('RESOURCE.CONFLICT', { message: `The proposal was ${proposal.state} already.` });
      // What it says of them may no longer be there: the next look at them proposes it again, or doesn't.
      if (state === 'approved' && !proposal.current)
        throw new AppError('RESOURCE.CONFLICT', {
          message: 'One of its documents has changed since: the proposal is outdated.',
        });
      const review = { state, relation: RELATION, apiKeyId: caller.scope.apiKeyId, note: note ?? null };
      await reviewProposal(transaction, viewer.tenantId, proposal, review);
      const reviewed = await lockProposal(transaction, viewer, id);
      if (!reviewed) throw new AppError('RESOURCE.NOT_FOUND', { message: 'There is no such proposal.' });
      const itemIds = proposal.claims.map(({ itemId }) => itemId);
      Object.assign(audit.metadata, { relation: RELATION, itemIds, hasNote: note !== undefined });
      return { data: toProposal(reviewed) };
    });
  }
}

function toProposal(row: ProposalRow): Proposal {
  return {
    id: row.id,
    state: row.state,
    relation: RELATION,
    subject: row.subject,
    confidence: row.confidence,
    rule: row.kind,
    generationId: row.generationId,
    sides: row.claims.map(({ itemId, chunkId, quotation }, index) => ({
      sourceItemId: itemId,
      chunkId,
      title: row.titles[index] ?? '',
      date: row.dates[index]?.toISOString() ?? null,
      quotation,
    })),
    createdAt: row.createdAt.toISOString(),
    reviewedAt: row.reviewedAt?.toISOString() ?? null,
    reviewedByApiKeyId: row.reviewedBy,
    note: row.note,
  };
}
