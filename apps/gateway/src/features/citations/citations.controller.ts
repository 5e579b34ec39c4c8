import { Controller } from '@nestjs/common';
import { verifyCitationsRoute, type ResponseOf } from '@candor/contracts';
import { Contract, ContractInput, type InputOf } from '@candor/runtime';
import { VerifyCitationsService } from './verify-citations.service.js';

@Controller()
export class CitationsController {
  constructor(private readonly citations: VerifyCitationsService) {}

  @Contract(verifyCitationsRoute)
  async verify(
    @ContractInput() { body }: InputOf<typeof verifyCitationsRoute>,
  ): Promise<ResponseOf<typeof verifyCitationsRoute>> {
    return { data: { results: await this.citations.verify(body.citations) } };
  }
}
