import { randomUUID } from 'node:crypto';
import {
  createCollectionRoute,
  createDocumentRoute,
  createErasureRoute,
  createGenerationRoute,
  createPromptRoute,
  createSourceRoute,
  generationRoute,
  listDocumentVersionsRoute,
  listGenerationsRoute,
  listPromptVersionsRoute,
  passageSessionRoute,
  quotasRoute,
  ROUTES,
  sourceItemRoute,
  startSyncRoute,
  type RouteContract,
} from '@candor/contracts';
import { buildDocument, waitFor, type ApiClient } from '@candor/testkit';
import { proposeConflicts } from '../../harness/proposals.js';
import { createKey } from '../../harness/tenants.js';

/** As few as are taken. */
function labelledQueries(): { query: string; answerable: boolean }[] {
  return Array.from({ length: 40 }, (_, index) => ({ query: `Question ${index}?`, answerable: index % 2 === 0 }));
}

/** Only the installation's first key may; the others are refused. */
export function isOfInstallation({ method, path }: Pick<RouteContract, 'method' | 'path'>): boolean {
  return path === '/v1/tenants' || (method === 'PUT' && path === '/v1/quotas');
}

export interface SampleRequest {
  route: RouteContract;
  path: string;
  body?: unknown;
}

/** One request that succeeds for each route; run in this order, the deletes come last. */
export async function buildSampleRequests(
  client: ApiClient,
  known: { itemId: string; ingestionId: string; deadLetterId: string },
): Promise<SampleRequest[]> {
  const { chunkIds } = await client.call(sourceItemRoute, { params: { id: known.itemId } });
  const collectionId = (await client.call(createCollectionRoute, { body: { name: 'Samples' } })).data.id;
  const document = { title: 'To be deleted', content: 'A sample that is deleted again.' };
  const documentId = (await client.call(createDocumentRoute, { body: document })).data.id;
  const promptId = (await client.call(createPromptRoute, { body: { title: 'Sample', content: 'A ${sample}.' } })).data
    .id;
  const promptVersionId = (await client.call(listPromptVersionsRoute, { params: { id: promptId } })).data[0]?.id;
  const versionId = (await client.call(listDocumentVersionsRoute, { params: { id: documentId } })).data[0]?.id;
  const { sessionId } = (await client.call(passageSessionRoute)).data;
  const { id: keyId } = await createKey(client, { name: 'Sample' });
  const source = {
    provider: 'slack' as const,
    name: 'Sample',
    // Nobody listens there: a check says so, and a run waits.
    settings: { baseUrl: 'http://127.0.0.1:9/api/' },
    credentials: { botToken: 'xoxb-sample' },
    schedule: null,
    reconcile: null,
  };
  const sourceId = (await client.call(createSourceRoute, { body: source })).data.id;
  const runId = (await client.call(startSyncRoute, { body: { sourceId } })).data.id;
  const live = (await client.call(listGenerationsRoute)).data[0]?.id ?? '';
  const built = (await client.call(createGenerationRoute, { body: {} })).data.id;
  await waitFor(async () => (await client.call(generationRoute, { params: { id: built } })).data.state === 'ready', {
    what: 'a generation to promote',
  });
  const key = {
    name: 'Sample',
    actorType: 'agent',
    allowedActions: ['search'],
    allowedProviders: null,
    principals: null,
  };
  const { tenantId } = (await client.call(quotasRoute)).data;
  const [approved, rejected] = await proposeConflicts(client);
  const query = 'How many lemons does the recipe need?';
  const nobody = { kind: 'person' as const, authorNames: ['Nobody at all'] };
  const { erasure } = (await client.call(createErasureRoute, { body: nobody })).data;
  const askedId = (await client.post('/v1/search', { query })).requestId;
  const samples: Record<string, { path?: string; body?: unknown }> = {
    'POST /v1/search': { body: { query } },
    'POST /v1/context': { body: { query } },
    'POST /v1/reason': { body: { query } },
    'POST /v1/reasoning': { body: { query } },
    'GET /v1/calibrations': {},
    'GET /v1/proposals': {},
    'POST /v1/proposals/:id/approve': { path: `/v1/proposals/${approved?.id}/approve` },
    'POST /v1/proposals/:id/reject': { path: `/v1/proposals/${rejected?.id}/reject` },
    'POST /v1/calibrations': { body: { queries: labelledQueries() } },
    'POST /v1/feedback': { body: { requestId: askedId, rating: 'positive' } },
    'POST /v1/citations/verify': { body: { citations: [{ chunkId: chunkIds[0], quotation: 'lemons' }] } },
    'POST /v1/pd/search': { body: { query, sessionId } },
    'POST /v1/pd/session': {},
    'GET /v1/pd/read/:chunkId': { path: `/v1/pd/read/${chunkIds[0]}` },
    'POST /v1/pd/expand': { body: { chunkId: chunkIds[0], direction: 'up' } },
    'POST /v1/ingest': { body: { documents: [buildDocument({ externalId: randomUUID() })] } },
    'GET /v1/ingestions': {},
    'GET /v1/ingestions/:requestId': { path: `/v1/ingestions/${known.ingestionId}` },
    'GET /v1/dead-letters': {},
    'POST /v1/dead-letters/:id/retry': { path: `/v1/dead-letters/${known.deadLetterId}/retry` },
    'GET /v1/source-items/:id': { path: `/v1/source-items/${known.itemId}` },
    'GET /v1/documents': {},
    'POST /v1/documents': { body: { title: 'Sample', content: 'A sample of a document.' } },
    'GET /v1/documents/:id': { path: `/v1/documents/${known.itemId}` },
    'PATCH /v1/documents/:id': { path: `/v1/documents/${documentId}`, body: { tags: ['sample'] } },
    'GET /v1/documents/:id/versions': { path: `/v1/documents/${documentId}/versions` },
    'POST /v1/documents/:id/restore': { path: `/v1/documents/${documentId}/restore`, body: { versionId } },
    'GET /v1/prompts': {},
    'POST /v1/prompts': { body: { title: 'Another', content: 'c' } },
    'GET /v1/prompts/:id': { path: `/v1/prompts/${promptId}` },
    'PATCH /v1/prompts/:id': { path: `/v1/prompts/${promptId}`, body: { title: 'Changed' } },
    'GET /v1/prompts/:id/versions': { path: `/v1/prompts/${promptId}/versions` },
    'POST /v1/prompts/:id/restore': {
      path: `/v1/prompts/${promptId}/restore`,
      body: { versionId: promptVersionId },
    },
    'GET /v1/search': { path: '/v1/search?q=lemons' },
    'GET /v1/mcp/capabilities': {},
    'GET /v1/collections': {},
    'POST /v1/collections': { body: { name: 'Another' } },
    'GET /v1/collections/:id': { path: `/v1/collections/${collectionId}` },
    'PATCH /v1/collections/:id': { path: `/v1/collections/${collectionId}`, body: { color: 'green' } },
    'GET /v1/collections/:id/items': { path: `/v1/collections/${collectionId}/items` },
    'POST /v1/collections/:id/items': {
      path: `/v1/collections/${collectionId}/items`,
      body: { itemIds: [known.itemId] },
    },
    'PUT /v1/collections/:id/items': {
      path: `/v1/collections/${collectionId}/items`,
      body: { itemIds: [known.itemId] },
    },
    'GET /v1/api-keys': {},
    'POST /v1/api-keys': { body: key },
    'PATCH /v1/api-keys/:id': { path: `/v1/api-keys/${keyId}`, body: { name: 'Changed' } },
    'POST /v1/api-keys/:id/rotate': { path: `/v1/api-keys/${keyId}/rotate` },
    'POST /v1/tenants': { body: { name: 'Sample' } },
    'GET /v1/quotas': {},
    'PUT /v1/quotas': { body: { tenantId, limits: {} } },
    'GET /v1/user/me': {},
    'GET /v1/generations': {},
    'GET /v1/generations/:id': { path: `/v1/generations/${live}` },
    'POST /v1/generations/:id/reconcile': { path: `/v1/generations/${live}/reconcile` },
    'POST /v1/generations/:id/promote': { path: `/v1/generations/${built}/promote` },
    'POST /v1/generations/:id/retire': { path: `/v1/generations/${live}/retire` },
    'POST /v1/generations': { body: { model: 'hashing' } },
    'GET /v1/audit-events': {},
    'GET /v1/audit-events/chain': {},
    'GET /v1/audit-events/export': {},
    'POST /v1/audit-events/verify': { body: {} },
    'GET /v1/tenants': {},
    'GET /v1/tenant': {},
    'PATCH /v1/tenant': { body: { retention: { feedback: 400 } } },
    'GET /v1/tenant/retention-preview': {},
    'POST /v1/erasures': { body: { kind: 'person', authorNames: ['Nobody'], dryRun: true } },
    'GET /v1/erasures': {},
    'GET /v1/erasures/:id': { path: `/v1/erasures/${erasure?.id}` },
    'GET /v1/sources': {},
    'POST /v1/sources': { body: { ...source, name: 'Another' } },
    'GET /v1/sources/:id': { path: `/v1/sources/${sourceId}` },
    'PATCH /v1/sources/:id': { path: `/v1/sources/${sourceId}`, body: { name: 'Changed' } },
    'POST /v1/sources/:id/check': { path: `/v1/sources/${sourceId}/check` },
    'GET /v1/sync-runs': {},
    'POST /v1/sync-runs': { body: { sourceId } },
    'GET /v1/sync-runs/:id': { path: `/v1/sync-runs/${runId}` },
    'POST /v1/sync-runs/:id/cancel': { path: `/v1/sync-runs/${runId}/cancel` },
    'DELETE /v1/sources/:id': { path: `/v1/sources/${sourceId}` },
    'DELETE /v1/api-keys/:id': { path: `/v1/api-keys/${keyId}` },
    'DELETE /v1/collections/:id': { path: `/v1/collections/${collectionId}` },
    'DELETE /v1/prompts/:id': { path: `/v1/prompts/${promptId}` },
    'DELETE /v1/documents/:id': { path: `/v1/documents/${documentId}` },
    'DELETE /v1/source-items/:id': { path: `/v1/source-items/${known.itemId}` },
  };
  return Object.entries(samples).flatMap(([name, { path, body }]) => {
    const route = ROUTES.find((candidate) => `${candidate.method} ${candidate.path}` === name);
    if (!route) throw new Error(`there is no route ${name}`);
    return [{ route, path: path ?? route.path, ...(body === undefined ? {} : { body }) }];
  });
}
