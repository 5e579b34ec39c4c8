import { Controller } from '@nestjs/common';
import { approveProposalRoute, listProposalsRoute, rejectProposalRoute, type ResponseOf } from '@candor/contracts';
import { Contract, ContractInput, type InputOf } from '@candor/runtime';
import { ProposalsService } from './proposals.service.js';

@Controller()
export class ProposalsController {
  constructor(private readonly proposals: ProposalsService) {}

  @Contract(listProposalsRoute)
  list(@ContractInput() { query }: InputOf<typeof listProposalsRoute>): Promise<ResponseOf<typeof listProposalsRoute>> {
    return this.proposals.list(query);
  }

  @Contract(approveProposalRoute)
  approve(
    @ContractInput() { params, body }: InputOf<typeof approveProposalRoute>,
  ): Promise<ResponseOf<typeof approveProposalRoute>> {
    return this.proposals.review(params.id, 'approved', body?.note);
  }

  @Contract(rejectProposalRoute)
  reject(
    @ContractInput() { params, body }: InputOf<typeof rejectProposalRoute>,
  ): Promise<ResponseOf<typeof rejectProposalRoute>> {
    return this.proposals.review(params.id, 'rejected', body?.note);
  }
}
