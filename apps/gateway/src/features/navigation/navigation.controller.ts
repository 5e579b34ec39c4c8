import { Controller } from '@nestjs/common';
import {
  expandChunkRoute,
  passageSearchRoute,
  passageSessionRoute,
  readChunkRoute,
  type PassageSearchBody,
  type ResponseOf,
} from '@candor/contracts';
import { Contract, ContractInput, type InputOf } from '@candor/runtime';
import { noteQuery } from '../../request/note-query.js';
import { RetrievalGatewayService } from '../../upstream/retrieval-gateway.service.js';
import { PassageSessionService } from './passage-session.service.js';

@Controller()
export class NavigationController {
  constructor(
    private readonly retrieval: RetrievalGatewayService,
    private readonly sessions: PassageSessionService,
  ) {}

  @Contract(passageSearchRoute)
  async search(
    @ContractInput() { body }: InputOf<typeof passageSearchRoute>,
  ): Promise<ResponseOf<typeof passageSearchRoute>> {
    noteQuery(body);
    const find = async (request: PassageSearchBody & { excludeChunkIds?: string[] }) =>
      (await this.retrieval.call('findPassages', request)).passages;
    const results =
      body.sessionId === undefined
        ? await find(body)
        : await this.sessions.searchInSession(body.sessionId, (excludeChunkIds) => find({ ...body, excludeChunkIds }));
    return { data: { results, meta: { query: body.query, totalResults: results.length } } };
  }

  @Contract(passageSessionRoute)
  start(): Promise<ResponseOf<typeof passageSessionRoute>> {
    return this.sessions.start();
  }

  @Contract(readChunkRoute)
  async read(@ContractInput() { params }: InputOf<typeof readChunkRoute>): Promise<ResponseOf<typeof readChunkRoute>> {
    return { data: await this.retrieval.call('readChunk', params) };
  }

  @Contract(expandChunkRoute)
  async expand(
    @ContractInput() { body }: InputOf<typeof expandChunkRoute>,
  ): Promise<ResponseOf<typeof expandChunkRoute>> {
    return { data: await this.retrieval.call('expandChunk', body) };
  }
}
