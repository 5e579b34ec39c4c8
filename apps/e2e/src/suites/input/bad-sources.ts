import type { BadRequest } from './bad-parameters.js';

const ID = '0f3d5f36-2d1e-4a2f-9a77-1f6f7b2f0a55';
const CREATE = 'POST /v1/sources';
const GOOD = { provider: 'slack', name: 'n', credentials: { botToken: 't' } };
const BLANK = 'must contain at least one non-whitespace character';

/** [fields, the broken rule, the field that is named] */
const CREATED: [Record<string, unknown>, string, string][] = [
  [{ name: undefined }, 'is required', 'name'],
  [{ name: ' ' }, BLANK, 'name'],
  [{ name: 'n'.repeat(201) }, 'must have at most 200 characters', 'name'],
  [{ provider: 'upload' }, 'must be one of slack, notion, google_drive, gmail', 'provider'],
  [{ provider: undefined }, 'must be one of slack, notion, google_drive, gmail', 'provider'],
  [{ credentials: undefined }, 'is required', 'credentials'],
  [{ credentials: {} }, 'is required', 'credentials.botToken'],
  [{ credentials: { botToken: '' } }, 'must have at least 1 character', 'credentials.botToken'],
  [{ provider: 'notion', credentials: { token: 1 } }, 'must be a string', 'credentials.token'],
  [
    { provider: 'gmail', credentials: { accessToken: '' } },
    'must have at least 1 character',
    'credentials.accessToken',
  ],
  [{ settings: { baseUrl: 'ftp://example.com' } }, 'must be an http or https URL', 'settings.baseUrl'],
  [{ settings: { baseUrl: 'https://user:x@example.com' } }, 'must not hold credentials', 'settings.baseUrl'],
  [{ settings: { channelAllowlist: [] } }, 'must have at least 1 item', 'settings.channelAllowlist'],
  [{ schedule: { everyMinutes: 0 } }, 'must be at least 1', 'schedule.everyMinutes'],
  [{ schedule: { everyMinutes: 43_201 } }, 'must be at most 43200', 'schedule.everyMinutes'],
  [{ reconcile: { everyMinutes: 1.5 } }, 'must be an integer', 'reconcile.everyMinutes'],
  [{ schedule: 15 }, 'must be an object', 'schedule'],
];
const UNKNOWN: [Record<string, unknown>, string][] = [
  [{ cron: '* * * * *' }, 'cron'],
  [{ settings: { workspace: 'x' } }, 'settings.workspace'],
  [{ credentials: { botToken: 't', password: 'x' } }, 'credentials.password'],
];

export const BAD_SOURCES: BadRequest[] = [
  ...CREATED.map(([fields, rule, field]) => ({
    route: CREATE,
    name: `${field} ${rule}`,
    body: { ...GOOD, ...fields },
    message: `${field} ${rule}`,
    field,
  })),
  ...UNKNOWN.map(([fields, field]) => ({
    route: CREATE,
    name: `${field}, which it doesn't know`,
    body: { ...GOOD, ...fields },
    message: `unknown field "${field}"`,
    field,
  })),
  {
    route: 'PATCH /v1/sources/:id',
    name: 'a state that only a removal leads to',
    path: `/v1/sources/${ID}`,
    body: { state: 'deleted' },
    message: 'state must be one of active, paused',
    field: 'state',
  },
  {
    route: 'PATCH /v1/sources/:id',
    name: 'another provider',
    path: `/v1/sources/${ID}`,
    body: { provider: 'gmail' },
    message: 'unknown field "provider"',
    field: 'provider',
  },
  {
    route: 'POST /v1/sync-runs',
    name: 'no source',
    body: { mode: 'full' },
    message: 'sourceId must be a UUID',
    field: 'sourceId',
  },
  {
    route: 'POST /v1/sync-runs',
    name: 'a mode that is a schedule’s alone',
    body: { sourceId: ID, mode: 'reconcile' },
    message: 'mode must be one of incremental, full',
    field: 'mode',
  },
  {
    route: 'GET /v1/sync-runs',
    name: 'a state that there is not',
    path: '/v1/sync-runs?state=done',
    message: 'state must be one of queued, running, succeeded, succeeded_with_errors, failed, cancelled',
    field: 'state',
  },
];
