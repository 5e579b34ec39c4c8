import fc from 'fast-check';
import {
  PROVIDERS,
  requestIdSchema,
  type ContextContract11,
  type Hit,
  type Passage,
  type RetrievalMethod,
  type RetrievalReply,
  type RetrievalRequest,
} from '@candor/contracts';
import { EmbedderRegistry, type RelevanceProfile } from '@candor/embeddings';
import { CallerTokenSigner } from '@candor/runtime';
import {
  clearsFloor,
  judgeRelevance,
  matchWords,
  readQueryTerms,
  type JudgedPassage,
} from '@candor/reasoning/relevance';
import type { SearchIndexReader } from '@candor/search-index/read';
// eslint-disable-next-line no-restricted-imports -- the test has to fill the index, which the service never does
import type { SearchIndexWriter } from '@candor/search-index/write';
import { RetrievalService } from '../retrieval.service.js';
import { roundScore } from '../search/round-score.js';
import { aKey, aScope, DIMENSIONS, TENANT } from './builders.js';
import { InMemoryReasoning } from './in-memory-reasoning.js';
import { FixedEmbedder } from './in-memory-world.js';
import {
  corpora,
  IDENTIFIER,
  queries,
  RandomCorpus,
  type PermittedItem,
  type RandomQuery,
  type StoredChunk,
} from './random-corpus.js';

export interface IndexUnderTest {
  /** Every vector is compared, however many there are. */
  isExact: boolean;
  reader: SearchIndexReader;
  writer: SearchIndexWriter;
}

/** Candidates that each leg asks for at least: of so few chunks, each leg finds all. */
const LEAST_CANDIDATES = 40;
/** What `zebra` and identifiers are judged by; floor and guard lie within the cosines of the corpora. */
const CALIBRATED: RelevanceProfile = {
  relevanceFloor: 0.5,
  cosineGuard: 0.6,
  wordWeight: 0.3,
  evidenceGuard: 0.75,
  calibrated: true,
};

const signer = new CallerTokenSigner('a key of at least thirty-two characters');
const requestId = requestIdSchema.parse('44444444-4444-4444-8444-444444444444');

/** One random corpus in the index, and the service over it. */
interface Asked {
  service: RetrievalService;
  corpus: RandomCorpus;
  isExact: boolean;
}
type Check = (asked: Asked, query: RandomQuery) => Promise<void>;

/**
 * The whole of retrieval over a real index, for random corpora of items with many chunks, keys, scopes and times: nothing
 * that is not permitted, the page full when enough is, and the best ones wherever that can be told.
 */
export function describeRetrievalProperties(open: () => IndexUnderTest): void {
  let number = 0;

  async function checkAll(check: Check, relevance?: RelevanceProfile): Promise<void> {
    const property = fc.asyncProperty(
      corpora,
      fc.array(queries, { minLength: 8, maxLength: 14 }),
      async (items, asked) => {
        const corpus = new RandomCorpus(items, (number += 1));
        const { reader, writer, isExact } = open();
        const address = { tenantId: TENANT, generation: corpus.generation?.name ?? '' };
        await writer.ensureIndex(address, DIMENSIONS);
        try {
          await writer.apply(address, corpus.operations());
          const embedders = EmbedderRegistry.around(new FixedEmbedder());
          const reasoning = new InMemoryReasoning();
          const parts = { reader, views: corpus, reasoning, embedders, signer };
          const service = new RetrievalService(relevance ? { ...parts, relevance } : parts);
          for (const each of asked) await check({ service, corpus, isExact }, each);
        } finally {
          await writer.dropIndex(address);
        }
      },
    );
    await fc.assert(property, { numRuns: 6, endOnFailure: true });
  }

  it('gives every caller a full page of what it may see, the nearest, and nothing else', () =>
    checkAll(async (asked, query) => {
      const { permitted, hits } = await search(asked, query, 'zebra');
      expect(hits).toHaveLength(Math.min(query.limit, permitted.length));
      expectPermitted(hits, permitted);
      // No text has the word, so nearness alone decides, also between the chunks of an item.
      if (!canTell(asked)) return;
      const nearest = permitted.slice(0, query.limit);
      expect(hits.map(({ sourceItemId }) => sourceItemId)).toEqual(nearest.map(({ itemId }) => itemId));
      expect(hits.map(({ content }) => content)).toEqual(nearest.map(({ chunks }) => chunks[0]?.chunk.content));
    }));

  it('fills the page with texts that have the words, and shows none in place of one that is nearer and has them too', () =>
    checkAll(async (asked, query) => {
      const { permitted, hits } = await search(asked, query, query.words.join(' '));
      expect(hits).toHaveLength(Math.min(query.limit, permitted.length));
      expectPermitted(hits, permitted);
      // Scores of words are not comparable between what holds and what is history.
      if (asked.corpus.liveCount > LEAST_CANDIDATES || query.asked.knownAsOf !== undefined) return;
      const shown = hits.map((hit) => chunkOf(hit, permitted));
      const isShown = new Set(hits.map(({ sourceItemId }) => sourceItemId as string));
      for (const { itemId, chunks } of permitted) {
        const rivals = isShown.has(itemId) ? shown.filter(({ chunk }) => chunk.itemId === itemId) : shown;
        for (const chunk of chunks) expect(rivals.filter((rival) => beats(chunk, rival, query.words))).toEqual([]);
      }
    }));

  it.each(['zebra', IDENTIFIER])('shows what is relevant to “%s”, all that has room, and else nothing', (text) =>
    checkAll(async (asked, query) => {
      const { permitted, hits } = await search(asked, query, text);
      const { terms, judge, clears } = judgeFor(text);
      const all = permitted.flatMap(({ chunks }) => chunks.map(judge));
      const isScoped = query.asked.collectionId !== undefined;
      const isRelevant = isScoped || judgeRelevance(all, terms, CALIBRATED);
      const relevant = isRelevant ? permitted.filter(({ chunks }) => chunks.some(clears)) : [];
      expectPermitted(hits, relevant);
      expect(hits.filter((hit) => !clears(chunkOf(hit, permitted)))).toEqual([]);
      expect(hits).toHaveLength(Math.min(query.limit, relevant.length));
    }, CALIBRATED),
  );

  it.each<[string, (query: RandomQuery) => string]>([
    ['words', ({ words }) => words.join(' ')],
    ['an identifier', () => IDENTIFIER],
  ])(
    'says of a query by %s how many are replaced or not near enough: never more than there are, and all that are known',
    (_, textOf) =>
      checkAll(async (asked, query) => {
        const text = textOf(query);
        const permitted = permittedTo(asked, query);
        const request = { query: text, limit: query.limit, contractVersion: '1.1', ...query.asked };
        const contract = await ask(asked, query, 'context', request as RetrievalRequest<'context'>);
        const { hits, exclusions } = contract as ContextContract11;
        const { clears } = judgeFor(text);
        const isNear = ({ cosine }: StoredChunk): boolean => cosine >= CALIBRATED.relevanceFloor;
        const isEmptied = hits.length === 0 && query.asked.collectionId === undefined;
        const replaced = asked.corpus.replaced(query).filter(({ chunks }) => chunks.some(clears));
        const far = permitted.filter(({ chunks }) => isEmptied || !chunks.some(isNear));
        const isAllKnown = asked.corpus.chunkCount <= LEAST_CANDIDATES;
        for (const provider of PROVIDERS) {
          const told = (type: string): number =>
            exclusions.find((each) => each.type === type && each.provider === provider)?.count ?? 0;
          const countOf = (items: readonly PermittedItem[]): number =>
            items.filter((each) => each.provider === provider).length;
          expect(told('superseded')).toBeLessThanOrEqual(countOf(replaced));
          if (canTell(asked)) expect(told('relevance_floor')).toBeLessThanOrEqual(countOf(far));
          if (!isAllKnown) continue;
          expect(told('superseded')).toBe(countOf(replaced));
          const left = far.filter(({ chunks }) => isEmptied || !chunks.some(clears));
          expect(told('relevance_floor')).toBe(countOf(left));
        }
      }, CALIBRATED),
  );

  it('finds passages, several of an item, each once and none twice, as long as there are any', () =>
    checkAll(async (asked, query) => {
      const {
        providers: _providers,
        updatedAfter: _after,
        updatedBefore: _before,
        knownAsOf: _at,
        ...scope
      } = query.asked;
      const within = { ...query, asked: scope };
      const permitted = permittedTo(asked, within);
      const paragraphs = permitted.flatMap(({ chunks }) => chunks).filter(({ chunk }) => chunk.level === 'paragraph');
      const request = { query: query.words.join(' '), limit: query.limit, ...scope };
      const { passages } = await ask(asked, within, 'findPassages', request as RetrievalRequest<'findPassages'>);
      const ids = passages.map(({ chunkId }: Passage) => chunkId as string);
      expect(new Set(ids).size).toBe(ids.length);
      expect(paragraphs.map(({ chunk }) => chunk.chunkId)).toEqual(expect.arrayContaining(ids));
      expect(ids).toHaveLength(Math.min(query.limit, paragraphs.length));
      const next = { ...request, excludeChunkIds: ids } as RetrievalRequest<'findPassages'>;
      const others = (await ask(asked, within, 'findPassages', next)).passages.map(({ chunkId }) => chunkId as string);
      expect(others.filter((id) => ids.includes(id))).toEqual([]);
      expect(others).toHaveLength(Math.min(query.limit, paragraphs.length - ids.length));
    }));
}

/** What a calibrated model's rule says of each chunk. */
function judgeFor(text: string) {
  const terms = readQueryTerms(text);
  const judge = ({ chunk, cosine }: StoredChunk): JudgedPassage => ({
    cosine,
    match: matchWords(terms, { headings: [chunk.title, ...chunk.sectionPath], content: chunk.content }),
  });
  const clears = (chunk: StoredChunk): boolean => clearsFloor(judge(chunk), CALIBRATED.relevanceFloor, CALIBRATED);
  return { terms, judge, clears };
}

async function search(
  asked: Asked,
  query: RandomQuery,
  text: string,
): Promise<{ permitted: PermittedItem[]; hits: Hit[] }> {
  const request = { query: text, limit: query.limit, ...query.asked } as RetrievalRequest<'search'>;
  const permitted = permittedTo(asked, query);
  return { permitted, hits: (await ask(asked, query, 'search', request)).hits };
}

function permittedTo({ corpus }: Asked, query: RandomQuery): PermittedItem[] {
  corpus.key = aKey(query.key);
  return corpus.permitted(query);
}

async function ask<M extends RetrievalMethod>(
  { service }: Asked,
  { token }: RandomQuery,
  method: M,
  request: RetrievalRequest<M>,
): Promise<RetrievalReply<M>['result']> {
  const call = { requestId, callerToken: signer.sign(aScope(token)) };
  const reply = await service.call(method, call, request, { deadline: new Date(Date.now() + 60_000) });
  return reply.result;
}

function canTell({ isExact, corpus }: Asked): boolean {
  return isExact || corpus.chunkCount <= LEAST_CANDIDATES;
}

/** Each an item once, by a text of the version that holds, with its exact cosine, the nearest first. */
function expectPermitted(hits: readonly Hit[], permitted: readonly PermittedItem[]): void {
  const ids = hits.map(({ sourceItemId }) => sourceItemId as string);
  expect(new Set(ids).size).toBe(ids.length);
  expect(permitted.map(({ itemId }) => itemId)).toEqual(expect.arrayContaining(ids));
  const scores = hits.map((hit) => chunkOf(hit, permitted).cosine);
  hits.forEach(({ score }, place) => expect(Math.abs(score - roundScore(scores[place] ?? -1))).toBeLessThan(2e-4));
  expect(scores).toEqual(scores.toSorted((left, right) => right - left));
}

function chunkOf(hit: Hit, permitted: readonly PermittedItem[]): StoredChunk {
  const item = permitted.find(({ itemId }) => itemId === (hit.sourceItemId as string));
  const found = item?.chunks.find(({ chunk }) => chunk.content === hit.content);
  if (!found) throw new Error(`not a text of a permitted item: ${hit.content}`);
  return found;
}

/** Nearer, and with every word of the query that the other one has: whatever the weights, it comes first. */
function beats(left: StoredChunk, right: StoredChunk, words: readonly string[]): boolean {
  const has = ({ words: own }: StoredChunk, word: string): boolean => own.includes(word);
  return left.cosine > right.cosine && words.every((word) => has(left, word) || !has(right, word));
}
