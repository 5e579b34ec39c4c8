import { ACTIONS } from '@candor/contracts';
import type { BadRequest } from './bad-parameters.js';

const ID = '0f3d5f36-2d1e-4a2f-9a77-1f6f7b2f0a55';
const CREATE = 'POST /v1/api-keys';
const GOOD = { name: 'n', actorType: 'agent', allowedActions: ['search'], allowedProviders: null, principals: null };
const BLANK = 'must contain at least one non-whitespace character';
const PROVIDERS = 'must be one of slack, notion, google_drive, gmail, upload';

/** [field, its value, the broken rule, the field that is named if it is a deeper one] */
const SHARED: [string, unknown, string, string?][] = [
  ['name', '', BLANK],
  ['name', 'n'.repeat(201), 'must have at most 200 characters'],
  ['allowedProviders', [], 'must have at least 1 item'],
  ['allowedProviders', ['dropbox'], PROVIDERS, 'allowedProviders[0]'],
  ['principals', 'user:a', 'must be an array'],
  ['principals', [''], 'must have at least 1 character', 'principals[0]'],
  ['principals', ['p'.repeat(321)], 'must have at most 320 characters', 'principals[0]'],
  ['rateLimitPerMinute', 0, 'must be at least 1'],
  ['rateLimitPerMinute', 1.5, 'must be an integer'],
  ['rateLimitPerMinute', '60', 'must be a number'],
  ['rateLimitPerMinute', 1_000_001, 'must be at most 1000000'],
];
const CREATED: [string, unknown, string, string?][] = [
  ...SHARED,
  ['name', undefined, 'is required'],
  ['actorType', 'robot', 'must be one of agent, application, admin'],
  ['allowedActions', [], 'must have at least 1 item'],
  ['allowedActions', ['everything'], `must be one of ${ACTIONS.join(', ')}`, 'allowedActions[0]'],
  ['allowedProviders', undefined, 'is required'],
  ['principals', undefined, 'is required'],
  ['expiresAt', 'tomorrow', 'must be an ISO 8601 timestamp with a time zone'],
  ['expiresAt', '2020-01-01T00:00:00Z', 'must lie in the future'],
];

export const BAD_KEYS: BadRequest[] = [
  { route: CREATE, name: 'no body', message: 'body is required', field: 'body' },
  {
    route: CREATE,
    name: 'a key of the caller’s own making',
    body: { ...GOOD, key: 'gm_x_y' },
    message: 'unknown field "key"',
    field: 'key',
  },
  ...CREATED.map(([name, value, rule, deeper]) => ({
    route: CREATE,
    name: `${name} = ${JSON.stringify(value)?.slice(0, 60)}`,
    body: { ...GOOD, [name]: value },
    message: `${deeper ?? name} ${rule}`,
    field: deeper ?? name,
  })),
  ...SHARED.map(([name, value, rule, deeper]) => ({
    route: 'PATCH /v1/api-keys/:id',
    name: `${name} = ${JSON.stringify(value)?.slice(0, 60)}`,
    path: `/v1/api-keys/${ID}`,
    body: { [name]: value },
    message: `${deeper ?? name} ${rule}`,
    field: deeper ?? name,
  })),
  ...['allowedActions', 'actorType', 'expiresAt', 'tenantId', 'revokedAt'].map((field) => ({
    route: 'PATCH /v1/api-keys/:id',
    name: `${field}, which never changes`,
    path: `/v1/api-keys/${ID}`,
    body: { [field]: null },
    message: `unknown field "${field}"`,
    field,
  })),
  ...(
    [
      [-1, 'must be at least 0'],
      [2_592_001, 'must be at most 2592000'],
      ['60', 'must be a number'],
    ] as const
  ).map(([overlapSeconds, rule]) => ({
    route: 'POST /v1/api-keys/:id/rotate',
    name: `overlapSeconds = ${JSON.stringify(overlapSeconds)}`,
    path: `/v1/api-keys/${ID}/rotate`,
    body: { overlapSeconds },
    message: `overlapSeconds ${rule}`,
    field: 'overlapSeconds',
  })),
  { route: 'POST /v1/tenants', name: 'no name', body: {}, message: 'name is required', field: 'name' },
  { route: 'POST /v1/tenants', name: 'a blank name', body: { name: ' ' }, message: `name ${BLANK}`, field: 'name' },
  ...(
    [
      ['tenantId', 'x', 'tenantId', 'must be a UUID'],
      ['limits', undefined, 'limits', 'is required'],
      ['limits', { items: -1 }, 'limits.items', 'must be at least 0'],
      ['limits', { storageBytes: 1.5 }, 'limits.storageBytes', 'must be an integer'],
      ['limits', { requestsPerMinute: '60' }, 'limits.requestsPerMinute', 'must be a number'],
      ['limits', { tokens: 1 }, 'limits.tokens', null],
    ] as const
  ).map(([name, value, field, rule]) => ({
    route: 'PUT /v1/quotas',
    name: `${name} = ${JSON.stringify(value)}`,
    body: { tenantId: ID, limits: {}, [name]: value },
    message: rule === null ? `unknown field "${field}"` : `${field} ${rule}`,
    field,
  })),
  { route: 'POST /v1/collections', name: 'no body', message: 'body is required', field: 'body' },
  ...(
    [
      ['name', ' ', BLANK],
      ['name', null, 'must be a string'],
      ['description', 'd'.repeat(2001), 'must have at most 2000 characters'],
      ['tags', 'a,b', 'must be an array'],
      ['itemCount', 5, null],
    ] as const
  ).map(([name, value, rule]) => ({
    route: 'POST /v1/collections',
    name: `${name} = ${JSON.stringify(value)?.slice(0, 60)}`,
    body: { name: 'n', [name]: value },
    message: rule === null ? `unknown field "${name}"` : `${name} ${rule}`,
    field: name,
  })),
  ...['POST', 'PUT'].flatMap((method) =>
    (
      [
        ['itemIds', undefined, 'itemIds', 'is required'],
        ['itemIds', [], 'itemIds', 'must have at least 1 item'],
        ['itemIds', ['x'], 'itemIds[0]', 'must be a UUID'],
        ['itemType', 'folder', 'itemType', 'must be one of prompt, document'],
      ] as const
    ).map(([name, value, field, rule]) => ({
      route: `${method} /v1/collections/:id/items`,
      name: `${name} = ${JSON.stringify(value)}`,
      path: `/v1/collections/${ID}/items`,
      body: { itemIds: [ID], [name]: value },
      message: `${field} ${rule}`,
      field,
    })),
  ),
];
