import { AUDIT_ACTIONS } from '@candor/contracts';

export interface BadRequest {
  /** `METHOD /v1/path`, as in the contracts. */
  route: string;
  name: string;
  /** Where the route has parameters or a query. */
  path?: string;
  body?: unknown;
  rawBody?: string;
  message: string;
  field: string;
}

const ID_ROUTES = [
  'GET /v1/source-items/:id',
  'DELETE /v1/source-items/:id',
  'GET /v1/documents/:id',
  'DELETE /v1/documents/:id',
  'PATCH /v1/documents/:id',
  'GET /v1/documents/:id/versions',
  'POST /v1/documents/:id/restore',
  'GET /v1/prompts/:id',
  'PATCH /v1/prompts/:id',
  'DELETE /v1/prompts/:id',
  'GET /v1/prompts/:id/versions',
  'POST /v1/prompts/:id/restore',
  'GET /v1/collections/:id',
  'PATCH /v1/collections/:id',
  'DELETE /v1/collections/:id',
  'GET /v1/collections/:id/items',
  'POST /v1/collections/:id/items',
  'PUT /v1/collections/:id/items',
  'PATCH /v1/api-keys/:id',
  'POST /v1/api-keys/:id/rotate',
  'DELETE /v1/api-keys/:id',
  'POST /v1/dead-letters/:id/retry',
  'GET /v1/sources/:id',
  'PATCH /v1/sources/:id',
  'DELETE /v1/sources/:id',
  'POST /v1/sources/:id/check',
  'GET /v1/sync-runs/:id',
  'POST /v1/sync-runs/:id/cancel',
  'GET /v1/generations/:id',
  'POST /v1/generations/:id/promote',
  'POST /v1/generations/:id/retire',
  'POST /v1/generations/:id/reconcile',
  'POST /v1/proposals/:id/approve',
  'POST /v1/proposals/:id/reject',
  'GET /v1/pd/read/:chunkId',
  'GET /v1/ingestions/:requestId',
  'GET /v1/erasures/:id',
];
const BODIES: Record<string, unknown> = {
  'POST /v1/documents/:id/restore': { versionId: '0f3d5f36-2d1e-4a2f-9a77-1f6f7b2f0a55' },
  'POST /v1/prompts/:id/restore': { versionId: '0f3d5f36-2d1e-4a2f-9a77-1f6f7b2f0a55' },
  'PATCH /v1/documents/:id': { title: 'x' },
  'PATCH /v1/prompts/:id': { title: 'x' },
  'PATCH /v1/collections/:id': { name: 'x' },
  'POST /v1/collections/:id/items': { itemIds: ['0f3d5f36-2d1e-4a2f-9a77-1f6f7b2f0a55'] },
  'PUT /v1/collections/:id/items': { itemIds: ['0f3d5f36-2d1e-4a2f-9a77-1f6f7b2f0a55'] },
  'PATCH /v1/api-keys/:id': { name: 'x' },
  'PATCH /v1/sources/:id': { name: 'x' },
};
const BAD_IDS = ['1', 'null', '0f3d5f36-2d1e-4a2f-9a77-1f6f7b2f0a5', "'%20OR%201=1--", '%E2%80%AE'];

const badIds: BadRequest[] = ID_ROUTES.flatMap((route) =>
  BAD_IDS.map((id) => {
    const path = (route.split(' ')[1] ?? '').replace(/:[A-Za-z]+/, id);
    const field = /:([A-Za-z]+)/.exec(route)?.[1] ?? '';
    const body = BODIES[route];
    return { route, name: `id ${id}`, path, message: `${field} must be a UUID`, field, ...(body ? { body } : {}) };
  }),
);

const LISTS = [
  '/v1/documents',
  '/v1/prompts',
  '/v1/collections',
  '/v1/api-keys',
  '/v1/dead-letters',
  '/v1/ingestions',
  '/v1/audit-events',
  '/v1/sources',
  '/v1/sync-runs',
  '/v1/generations',
  '/v1/calibrations',
  '/v1/proposals',
];
const badPages: BadRequest[] = LISTS.flatMap((path) =>
  [
    ['limit=0', 'limit', 'limit must be at least 1'],
    ['limit=101', 'limit', 'limit must be at most 100'],
    ['limit=1.5', 'limit', 'limit must be an integer'],
    ['limit=ten', 'limit', 'limit must be a number'],
    ['cursor=', 'cursor', 'cursor must have at least 1 character'],
    ['cursor=nonsense', 'cursor', 'cursor must be a cursor that an earlier page returned'],
    [
      `cursor=${encodeCursor(['2026-01-01T00:00:00Z', 'x'])}`,
      'cursor',
      'cursor must be a cursor that an earlier page returned',
    ],
    [
      `cursor=${encodeCursor(['1', '0f3d5f36-2d1e-4a2f-9a77-1f6f7b2f0a55'])}`,
      'cursor',
      'cursor must be a cursor that an earlier page returned',
    ],
    ['limit=1&limit=2', 'limit', 'limit must be given once'],
    ['offset=5', 'offset', 'unknown field "offset"'],
  ].map(([query = '', field = '', message = '']) => ({
    route: `GET ${path}`,
    name: query,
    path: `${path}?${query}`,
    field,
    message,
  })),
);

const AUDIT = 'GET /v1/audit-events';
const badAudits: BadRequest[] = [
  ['requestId=x', 'requestId', 'requestId must be a UUID'],
  ['action=search', 'action', `action must be one of ${Object.keys(AUDIT_ACTIONS).join(', ')}`],
  ['from=yesterday', 'from', 'from must be an ISO 8601 timestamp with a time zone'],
  ['to=2026-01-01', 'to', 'to must be an ISO 8601 timestamp with a time zone'],
].map(([query = '', field = '', message = '']) => ({
  route: AUDIT,
  name: query,
  path: `/v1/audit-events?${query}`,
  field,
  message,
}));

const withoutQuery: BadRequest[] = ['/v1/audit-events/chain', '/v1/tenant', '/v1/tenant/retention-preview'].map(
  (path) => ({
    route: `GET ${path}`,
    name: 'a query that it does not take',
    path: `${path}?all=1`,
    message: 'unknown field "all"',
    field: 'all',
  }),
);

export const BAD_PARAMETERS: BadRequest[] = [
  ...withoutQuery,
  {
    route: 'GET /v1/audit-events/export',
    name: 'a batch that is none',
    path: '/v1/audit-events/export?fromBatch=0',
    message: 'fromBatch must be more than 0',
    field: 'fromBatch',
  },
  {
    route: 'POST /v1/audit-events/verify',
    name: 'a batch that is none',
    body: { fromBatch: 'first' },
    message: 'fromBatch must be a number',
    field: 'fromBatch',
  },
  {
    route: 'GET /v1/tenants',
    name: 'a page that is too large',
    path: '/v1/tenants?limit=1000',
    message: 'limit must be at most 100',
    field: 'limit',
  },
  {
    route: 'GET /v1/erasures',
    name: 'a page that is too large',
    path: '/v1/erasures?limit=1000',
    message: 'limit must be at most 100',
    field: 'limit',
  },
  {
    route: 'PATCH /v1/tenant',
    name: 'less than a day',
    body: { retention: { queryText: 0 } },
    message: 'retention.queryText must be at least 1 day',
    field: 'retention.queryText',
  },
  {
    route: 'POST /v1/erasures',
    name: 'a key that is none',
    body: { kind: 'person', apiKeyIds: ['x'] },
    message: 'apiKeyIds[0] must be a UUID',
    field: 'apiKeyIds[0]',
  },
  {
    route: 'POST /v1/erasures',
    name: 'nobody',
    body: { kind: 'person' },
    message: 'apiKeyIds must name a key, or authorNames a name',
    field: 'apiKeyIds',
  },

  ...badIds,
  ...badPages,
  ...badAudits,
  {
    route: 'GET /v1/mcp/capabilities',
    name: 'a query that it does not take',
    path: '/v1/mcp/capabilities?all=1',
    message: 'unknown field "all"',
    field: 'all',
  },
  {
    route: 'GET /v1/quotas',
    name: 'a query that it does not take',
    path: '/v1/quotas?tenant=1',
    message: 'unknown field "tenant"',
    field: 'tenant',
  },
  {
    route: 'GET /v1/user/me',
    name: 'a query that it does not take',
    path: '/v1/user/me?verbose=1',
    message: 'unknown field "verbose"',
    field: 'verbose',
  },
];

function encodeCursor(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
