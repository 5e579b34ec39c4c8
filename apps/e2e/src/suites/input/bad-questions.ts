import type { BadRequest } from './bad-parameters.js';

const BLANK = 'query must contain at least one non-whitespace character';
const INSTANT = 'must be an ISO 8601 timestamp with a time zone';

/** What every body with a `query` refuses. */
const forQuery = (route: string): BadRequest[] => [
  { route, name: 'no body', message: 'body is required', field: 'body' },
  { route, name: 'an empty object', body: {}, message: 'query is required', field: 'query' },
  { route, name: 'an array', body: [], message: 'body must be an object', field: 'body' },
  { route, name: 'a text', body: 'query', message: 'body must be an object', field: 'body' },
  { route, name: 'null', rawBody: 'null', message: 'body must be an object', field: 'body' },
  { route, name: 'a query that is a number', body: { query: 7 }, message: 'query must be a string', field: 'query' },
  { route, name: 'a query that is null', body: { query: null }, message: 'query must be a string', field: 'query' },
  { route, name: 'a query that is a list', body: { query: ['a'] }, message: 'query must be a string', field: 'query' },
  { route, name: 'an empty query', body: { query: '' }, message: BLANK, field: 'query' },
  { route, name: 'a blank query', body: { query: ' \t\n\u3000' }, message: BLANK, field: 'query' },
  {
    route,
    name: 'a query of 2,001 characters',
    body: { query: ` ${'q'.repeat(2001)} ` },
    message: 'query must have at most 2000 characters after trimming',
    field: 'query',
  },
  {
    route,
    name: 'a query with NUL',
    body: { query: 'a\u0000b' },
    message: 'query must not contain NUL characters',
    field: 'query',
  },
  {
    route,
    name: 'half a surrogate pair',
    rawBody: '{"query":"a\\ud800b"}',
    message: 'query must be well-formed Unicode',
    field: 'query',
  },
  { route, name: 'an unknown field', body: { query: 'q', topK: 3 }, message: 'unknown field "topK"', field: 'topK' },
  {
    route,
    name: 'a misspelt field before a missing one',
    body: { qeury: 'q' },
    message: 'unknown field "qeury"',
    field: 'qeury',
  },
  {
    route,
    name: 'a prototype as a field',
    rawBody: '{"query":"q","__proto__":{"admin":true}}',
    message: '__proto__ is not an accepted field name',
    field: '__proto__',
  },
  {
    route,
    name: 'a query string',
    path: `${route.split(' ')[1]}?limit=3`,
    body: { query: 'q' },
    message: 'unknown field "limit"',
    field: 'limit',
  },
];

const forSearch = (route: string): BadRequest[] =>
  [
    ['limit', 0, 'must be at least 1'],
    ['limit', 26, 'must be at most 25'],
    ['limit', 1.5, 'must be an integer'],
    ['limit', '5', 'must be a number'],
    ['limit', null, 'must be a number'],
    ['providers', [], 'must have at least 1 item'],
    ['providers', 'slack', 'must be an array'],
    ['sourceItemId', 'x', 'must be a UUID'],
    ['collectionId', '', 'must be a UUID'],
    ['collectionId', null, 'must be a UUID'],
    ['updatedAfter', 'yesterday', INSTANT],
    ['updatedBefore', '2024-02-30T00:00:00Z', INSTANT],
    ['updatedBefore', '2024-01-01', INSTANT],
    ['knownAsOf', '2024-01-01T00:00:00', INSTANT],
    ['knownAsOf', 1700000000, INSTANT],
    ['ranking', 'bm25', 'must be one of similarity, fused'],
  ].map(([name, value, rule]) => ({
    route,
    name: `${String(name)} = ${JSON.stringify(value)}`,
    body: { query: 'q', [String(name)]: value },
    message: `${String(name)} ${String(rule)}`,
    field: String(name),
  }));

const oneOfProviders = (route: string): BadRequest => ({
  route,
  name: 'an unknown provider',
  body: { query: 'q', providers: ['slack', 'sharepoint'] },
  message: 'providers[1] must be one of slack, notion, google_drive, gmail, upload',
  field: 'providers[1]',
});

const PASSAGES = 'POST /v1/pd/search';
const REASON = 'POST /v1/reason';
const SCOPE = 'must be a UUID; omit the field when there is no such scope';

const EXPAND_FIELDS: [string, unknown, string][] = [
  ['chunkId', undefined, 'must be a UUID'],
  ['chunkId', 'c1', 'must be a UUID'],
  ['chunkId', null, 'must be a UUID'],
  ['direction', undefined, 'is required'],
  ['direction', 'sideways', 'must be one of up, down, next, previous, surrounding'],
  ['count', 0, 'must be at least 1'],
  ['count', 51, 'must be at most 50'],
  ['count', 1.5, 'must be an integer'],
  ['count', '2', 'must be a number'],
  ['depth', 2, 'unknown field "depth"'],
];

const REASON_FIELDS: [string, unknown, string][] = [
  ['documentId', '', SCOPE],
  ['documentId', null, SCOPE],
  ['documentId', 'j97abc123', SCOPE],
  ['collectionId', '', SCOPE],
  ['collectionId', null, SCOPE],
  ['collectionId', {}, SCOPE],
  ['maxTokens', '8000', 'must be a number'],
  ['maxTokens', null, 'must be a number'],
  ['limit', true, 'must be a number'],
  ['includeQuotations', 'yes', 'must be a boolean'],
  ['includeQuotations', 1, 'must be a boolean'],
  ['includeQuotations', null, 'must be a boolean'],
];

export const BAD_QUESTIONS: BadRequest[] = [
  ...['POST /v1/search', 'POST /v1/context', PASSAGES, REASON].flatMap(forQuery),
  ...['POST /v1/search', 'POST /v1/context'].flatMap((route) => [...forSearch(route), oneOfProviders(route)]),
  {
    route: 'POST /v1/context',
    name: 'a contract version of the future',
    body: { query: 'q', contractVersion: '2.0' },
    message: 'contractVersion must be one of 1.0, 1.1',
    field: 'contractVersion',
  },
  {
    route: 'POST /v1/context',
    name: 'a contract version as a number',
    body: { query: 'q', contractVersion: 1.1 },
    message: 'contractVersion must be one of 1.0, 1.1',
    field: 'contractVersion',
  },
  ...[
    ['limit', 0, 'must be at least 1'],
    ['limit', 51, 'must be at most 50'],
    ['sessionId', 'x', 'must be a UUID'],
    ['documentId', '', 'must be a UUID'],
    ['collectionId', 'x', 'must be a UUID'],
  ].map(([name, value, rule]) => ({
    route: PASSAGES,
    name: `${String(name)} = ${JSON.stringify(value)}`,
    body: { query: 'q', [String(name)]: value },
    message: `${String(name)} ${String(rule)}`,
    field: String(name),
  })),
  ...EXPAND_FIELDS.map(([name, value, rule]) => ({
    route: 'POST /v1/pd/expand',
    name: `${name} = ${JSON.stringify(value) ?? 'absent'}`,
    body: { chunkId: '0f3d5f36-2d1e-4a2f-9a77-1f6f7b2f0a55', direction: 'up', [name]: value },
    message: rule.startsWith('unknown') ? rule : `${name} ${rule}`,
    field: name,
  })),
  {
    route: 'POST /v1/pd/session',
    name: 'a field that it does not take',
    body: { name: 'x' },
    message: 'unknown field "name"',
    field: 'name',
  },
  ...REASON_FIELDS.map(([name, value, rule]) => ({
    route: REASON,
    name: `${name} = ${JSON.stringify(value)}`,
    body: { query: 'q', [name]: value },
    message: `${name} ${rule}`,
    field: name,
  })),
];
