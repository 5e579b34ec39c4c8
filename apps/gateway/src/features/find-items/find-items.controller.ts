import { Controller } from '@nestjs/common';
import {
  allowsAction,
  AppError,
  findItemsRoute,
  LIBRARY_KINDS,
  type Action,
  type FindItemsQuery,
  type FindItemsResponse,
  type LibraryKind,
} from '@candor/contracts';
import { Contract, ContractInput, type InputOf } from '@candor/runtime';
import { requireCaller } from '../../access/caller.js';
import { noteQuery } from '../../request/note-query.js';
import { RetrievalGatewayService } from '../../upstream/retrieval-gateway.service.js';

/** Beside the route's own action. */
const NEEDED: Partial<Record<LibraryKind, Action>> = { prompts: 'prompts:*', collections: 'collections:*' };

@Controller()
export class FindItemsController {
  constructor(private readonly retrieval: RetrievalGatewayService) {}

  @Contract(findItemsRoute)
  async find(@ContractInput() { query }: InputOf<typeof findItemsRoute>): Promise<FindItemsResponse> {
    const { q, semantic, tags = [], limit, type } = query;
    noteQuery({ query: q, type, semantic, tags, limit });
    const notAllowed = LIBRARY_KINDS.filter((kind) => !mayFind(kind));
    const kinds = type === 'all' ? LIBRARY_KINDS.filter(mayFind) : [requireKind(type)];
    const data = await this.retrieval.call('findItems', { query: q, kinds, semantic, tags, limit });
    const isCut = type === 'all' && notAllowed.length > 0;
    return { data, meta: { semantic, query: q, ...(isCut ? { notAllowed } : {}) } };
  }
}

function mayFind(kind: LibraryKind): boolean {
  const action = NEEDED[kind];
  return action === undefined || allowsAction(requireCaller().scope, action);
}

function requireKind(kind: Exclude<FindItemsQuery['type'], 'all'>): LibraryKind {
  if (mayFind(kind)) return kind;
  throw new AppError('AUTH.ACTION_NOT_ALLOWED', {
    message: `type "${kind}" needs the action "${NEEDED[kind]}", which the API key does not have.`,
    details: { action: NEEDED[kind], field: 'type' },
  });
}
