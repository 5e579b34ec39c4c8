import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  expandChunkRoute,
  passageSearchRoute,
  passageSessionRoute,
  readChunkRoute,
  reasonRoute,
  searchRoute,
  sourceItemRoute,
  verifyCitationsRoute,
  type ChunkReading,
  type ExpandDirection,
  type ExpandedChunk,
  type Hit,
  type Passage,
  type ReasonData,
  type ResponseOf,
  type SourceItem,
} from '@candor/contracts';
import type { ApiClient } from '@candor/testkit';
import { ingestOne } from '../../harness/ingest.js';
import { callTool, connectMcp, contentOf } from '../../harness/mcp-client.js';
import { createKey, createTenant } from '../../harness/tenants.js';
import type { WorldOf } from '../../harness/world.js';

type Verified = ResponseOf<typeof verifyCitationsRoute>['data']['results'];

/** The steps of the journey; each surface takes them its own way. */
interface Surface {
  search: (query: string) => Promise<Hit[]>;
  startSession: () => Promise<string>;
  findPassages: (query: string, sessionId: string) => Promise<Passage[]>;
  read: (chunkId: string) => Promise<ChunkReading>;
  expand: (chunkId: string, direction: ExpandDirection) => Promise<ExpandedChunk[]>;
  readItem: (id: string) => Promise<SourceItem>;
  reason: (query: string) => Promise<ReasonData>;
  verify: (citations: { chunkId: string; quotation: string; contentHash: string }[]) => Promise<Verified>;
}

const QUESTION = 'How many metres deep is the harbour of Velmora?';
const ANSWER = 'The harbour of Velmora is eleven metres deep at low water.';
const NEIGHBOUR = 'Ships of more than nine metres draught wait for a pilot.';
const filling = (subject: string): string =>
  `The ${subject} of Velmora is looked after by the town council. `.repeat(20);

function overRest(client: ApiClient): Surface {
  return {
    search: async (query) => (await client.call(searchRoute, { body: { query, limit: 3 } })).hits,
    startSession: async () => (await client.call(passageSessionRoute, { body: {} })).data.sessionId,
    findPassages: async (query, sessionId) =>
      (await client.call(passageSearchRoute, { body: { query, limit: 3, sessionId } })).data.results,
    read: async (chunkId) => (await client.call(readChunkRoute, { params: { chunkId } })).data,
    expand: async (chunkId, direction) =>
      (await client.call(expandChunkRoute, { body: { chunkId, direction, count: 5 } })).data.chunks,
    readItem: (id) => client.call(sourceItemRoute, { params: { id } }),
    reason: async (query) => (await client.call(reasonRoute, { body: { query } })).data,
    verify: async (citations) => (await client.call(verifyCitationsRoute, { body: { citations } })).data.results,
  };
}

function overMcp(mcp: Client): Surface {
  const call = async <Body>(name: string, args: object): Promise<Body> =>
    contentOf(await callTool(mcp, name, args)) as Body;
  return {
    search: async (query) => (await call<{ hits: Hit[] }>('search', { query, limit: 3 })).hits,
    startSession: async () => (await call<{ data: { sessionId: string } }>('deep_session', {})).data.sessionId,
    findPassages: async (query, sessionId) =>
      (await call<{ data: { results: Passage[] } }>('deep_search', { query, limit: 3, sessionId })).data.results,
    read: async (chunkId) => (await call<{ data: ChunkReading }>('deep_read', { chunkId })).data,
    expand: async (chunkId, direction) =>
      (await call<{ data: { chunks: ExpandedChunk[] } }>('deep_expand', { chunkId, direction, count: 5 })).data.chunks,
    readItem: (id) => call<SourceItem>('get_source_item', { id }),
    reason: async (query) => (await call<{ data: ReasonData }>('reason', { query })).data,
    verify: async (citations) =>
      (await call<{ data: { results: Verified } }>('verify_citations', { citations })).data.results,
  };
}

/** What an agent does with nothing but a key and the public endpoints: find, read around, cite, and check what it cites. */
export function describeAgentJourney(world: WorldOf): void {
  describe('an agent', () => {
    let documentId: string;
    let surfaces: Record<'REST' | 'MCP', Surface>;

    beforeAll(async () => {
      const { admin } = await createTenant(world(), 'Journey');
      const agent = await createKey(admin, { allowedActions: ['search', 'documents:read', 'reason'] });
      documentId = await ingestOne(admin, {
        provider: 'notion',
        sourceKind: 'document',
        title: 'Harbour of Velmora',
        mimeType: 'text/markdown',
        body: [
          `# Depth\n\n${ANSWER} ${filling('basin')}\n\n${NEIGHBOUR} ${filling('pilot station')}`,
          `# Lights\n\n${filling('lighthouse')}\n\n${filling('fog horn')}`,
        ].join('\n\n'),
        accessPolicy: { provider: 'notion', mode: 'provider_scope' },
      });
      surfaces = { REST: overRest(agent.client), MCP: overMcp(await connectMcp(agent.client)) };
    });

    it.each(['REST', 'MCP'] as const)('finds, reads around, cites and verifies over %s', async (name) => {
      const surface = surfaces[name];
      const [hit] = await surface.search(QUESTION);
      expect(hit).toMatchObject({ sourceItemId: documentId, title: 'Harbour of Velmora' });

      const sessionId = await surface.startSession();
      const passages = await surface.findPassages(QUESTION, sessionId);
      const passage = passages.find(({ content }) => content.includes(ANSWER));
      if (!passage) throw new Error('no passage answers');
      const others = await surface.findPassages('Who looks after the lighthouse of Velmora?', sessionId);
      const shown = new Set<string>(passages.map(({ chunkId }) => chunkId));
      expect(others.filter(({ chunkId }) => shown.has(chunkId))).toEqual([]);

      const reading = await surface.read(passage.chunkId);
      expect(reading.content).toBe(passage.content);
      expect(reading.hierarchy).toMatchObject({ documentId, position: { isLive: true } });
      const around = [
        ...(await surface.expand(passage.chunkId, 'surrounding')),
        ...(await surface.expand(passage.chunkId, 'up')),
        ...(await surface.expand(passage.chunkId, 'down')),
      ];
      expect(around.length).toBeGreaterThan(0);
      expect(around.every((chunk) => chunk.documentId === documentId)).toBe(true);
      expect([passage, ...around].some(({ content }) => content.includes(NEIGHBOUR))).toBe(true);

      const item = await surface.readItem(documentId);
      const { version } = reading.hierarchy.position;
      const contentHash = item.versions.find((each) => each.version === version)?.contentHash ?? '';
      const [verified, rejected] = await surface.verify([
        { chunkId: passage.chunkId, quotation: ANSWER, contentHash },
        { chunkId: passage.chunkId, quotation: ANSWER.replace('eleven', 'twelve'), contentHash },
      ]);
      expect(verified).toMatchObject({ chunkId: passage.chunkId, status: 'verified', quotation: ANSWER });
      expect(rejected).toMatchObject({ status: 'rejected' });

      const { answer, citations } = await surface.reason(QUESTION);
      expect(answer).toContain('eleven metres');
      expect(citations.map((citation) => citation.documentId)).toContain(documentId);
      for (const { chunkId } of citations) expect(answer).toContain(`[[${chunkId}]]`);
    });
  });
}
