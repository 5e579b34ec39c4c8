import { Controller } from '@nestjs/common';
import { contextRoute, type ContextContract } from '@candor/contracts';
import { Contract, ContractInput, type InputOf } from '@candor/runtime';
import { noteQuery } from '../../request/note-query.js';
import { RetrievalGatewayService } from '../../upstream/retrieval-gateway.service.js';

@Controller()
export class ContextController {
  constructor(private readonly retrieval: RetrievalGatewayService) {}

  @Contract(contextRoute)
  retrieve(@ContractInput() { body }: InputOf<typeof contextRoute>): Promise<ContextContract> {
    noteQuery(body);
    return this.retrieval.call('context', body);
  }
}
