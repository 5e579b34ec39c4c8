import { performance } from 'node:perf_hooks';
import {
  allowsAction,
  AppError,
  type Action,
  type CallerScope,
  type FindItemsRequest,
  type FindItemsResult,
  type FoundCollection,
  type FoundDocument,
  type FoundPrompt,
  type LibraryKind,
  type RetrievalReply,
} from '@candor/contracts';
import type { KeyHead, Membership } from '@candor/persistence/views';
import { narrowToKey } from '../../search/narrow-scope.js';
import type { Views } from '../../search/retrieval-run.js';
import type { LibraryFinder, LibraryMatch, LibraryQuery } from './library-finder.js';
import type { LibraryReads } from './library-reads.js';
import { LiteralFinder } from './literal-finder.js';
import { LiteralScans } from './literal-scans.js';
import { rankCollections } from './rank-collections.js';
import { SemanticFinder, type SemanticFinderTools } from './semantic-finder.js';

const NEEDED: Record<LibraryKind, Action> = {
  prompts: 'prompts:*',
  documents: 'search',
  collections: 'collections:*',
};

/** `find_items`: prompts, documents and collections, each kind by itself. */
export class FindItemsService {
  private readonly library: LibraryReads;
  private readonly scans = new LiteralScans();

  constructor(
    private readonly tools: SemanticFinderTools,
    private readonly views: Pick<Views, 'recheck'>,
  ) {
    this.library = tools.library;
  }

  /** Kinds that the key may not see any more are empty. @throws AppError as `search`, and RETRIEVAL.BUSY */
  async findItems(
    caller: CallerScope,
    request: FindItemsRequest,
    signal: AbortSignal,
  ): Promise<RetrievalReply<'findItems'>> {
    const started = performance.now();
    const key = await this.requireKey(caller);
    const may = (kind: LibraryKind): boolean => allowsAction(caller, NEEDED[kind]) && allowsAction(key, NEEDED[kind]);
    const wants = (kind: LibraryKind): boolean => may(kind) && request.kinds.includes(kind);
    // What a collection holds is part of what it is found by.
    const finds = (kind: LibraryKind): boolean => wants(kind) || (may(kind) && wants('collections'));

    // When one of them fails, nobody waits for the others any more.
    const failed = new AbortController();
    const wanted = AbortSignal.any([signal, failed.signal]);
    const finder: LibraryFinder = request.semantic
      ? new SemanticFinder(this.tools, caller, wanted)
      : new LiteralFinder(this.library, this.scans, caller.tenantId, narrowToKey(caller, key), wanted);
    const query: LibraryQuery = { text: request.query.trim(), tags: request.tags, limit: request.limit };
    const [prompts, documents, own] = await Promise.all([
      finds('prompts') ? finder.findPrompts(query) : [],
      finds('documents') ? finder.findDocuments(query) : [],
      wants('collections') ? finder.findCollections(query) : [],
    ]).catch((error: unknown) => {
      failed.abort();
      throw error;
    });
    const collections = wants('collections')
      ? await this.rank(caller.tenantId, query, { own, prompts, documents })
      : [];
    const result: FindItemsResult = {
      prompts: wants('prompts') ? prompts.map(toFoundPrompt) : [],
      documents: wants('documents') ? documents.map(toFoundDocument) : [],
      collections,
    };
    return { result, facts: factsOf(result, performance.now() - started) };
  }

  private async requireKey(caller: CallerScope): Promise<KeyHead> {
    const { key } = await this.views.recheck(caller.apiKeyId, [], null);
    if (key === null || key.tenantId !== caller.tenantId) throw new AppError('AUTH.INVALID_KEY');
    return key;
  }

  private async rank(
    tenantId: string,
    { tags, limit }: LibraryQuery,
    found: { own: LibraryMatch[]; prompts: LibraryMatch[]; documents: LibraryMatch[] },
  ): Promise<FoundCollection[]> {
    const items: { itemType: Membership['itemType']; matches: LibraryMatch[] }[] = [
      { itemType: 'document', matches: found.documents },
      { itemType: 'prompt', matches: found.prompts },
    ];
    const memberships = await Promise.all(
      items.map(({ itemType, matches }) => this.library.memberships(tenantId, itemType, idsOf(matches))),
    );
    const holding = memberships.flat();
    const ids = new Set([...idsOf(found.own), ...holding.map(({ collectionId }) => collectionId)]);
    const heads = await this.library.heads(tenantId, 'collection', [...ids], tags);
    return rankCollections(found.own, items, holding, heads, limit);
  }
}

function idsOf(matches: readonly LibraryMatch[]): string[] {
  return matches.map(({ id }) => id);
}

function toFoundPrompt({ id, title, description, score, highlight }: LibraryMatch): FoundPrompt {
  return { promptId: id, title, description: description ?? '', score, ...given({ highlight }) };
}

function toFoundDocument({ id, title, score, highlight, chunkId }: LibraryMatch): FoundDocument {
  return {
    documentId: id as FoundDocument['documentId'],
    title,
    score,
    ...given({ highlight, chunkId: chunkId as FoundDocument['chunkId'] }),
  };
}

/** Without the fields that have no value. */
function given<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>;
  };
}

/** Ids, counts and time (ms, 0.1); never content. */
function factsOf(
  { prompts, documents, collections }: FindItemsResult,
  tookMs: number,
): RetrievalReply<'findItems'>['facts'] {
  return {
    found: { prompts: prompts.length, documents: documents.length, collections: collections.length },
    promptIds: prompts.map(({ promptId }) => promptId),
    itemIds: documents.map(({ documentId }) => documentId),
    collectionIds: collections.map(({ collectionId }) => collectionId),
    tookMs: { total: Math.round(tookMs * 10) / 10 },
  };
}
