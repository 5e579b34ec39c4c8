import { Controller } from '@nestjs/common';
import { searchRoute, type SearchResponse } from '@candor/contracts';
import { Contract, ContractInput, type InputOf } from '@candor/runtime';
import { RetrievalGatewayService } from '../../upstream/retrieval-gateway.service.js';
import { noteQuery } from '../../request/note-query.js';

@Controller()
export class SearchController {
  constructor(private readonly retrieval: RetrievalGatewayService) {}

  @Contract(searchRoute)
  search(@ContractInput() { body }: InputOf<typeof searchRoute>): Promise<SearchResponse> {
    noteQuery(body);
    return this.retrieval.call('search', body);
  }
}
