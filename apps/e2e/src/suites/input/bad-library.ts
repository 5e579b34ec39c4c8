import type { BadRequest } from './bad-parameters.js';

const ID = '0f3d5f36-2d1e-4a2f-9a77-1f6f7b2f0a55';
const BLANK = 'must contain at least one non-whitespace character';
const GOOD = { title: 't', content: 'c' };

/** [field, its value, the broken rule, the field that is named if it is a deeper one] */
type Field = [string, unknown, string, string?];
const PROMPT: Field[] = [
  ['title', ' ', BLANK],
  ['title', 't'.repeat(1001), 'must have at most 1000 characters'],
  ['content', '', BLANK],
  ['content', 'c'.repeat(200_001), 'must have at most 200000 characters'],
  ['content', 'a\u0000', 'must not contain NUL characters'],
  ['description', 'd'.repeat(2001), 'must have at most 2000 characters'],
  ['description', null, 'must be a string'],
  ['engine', 'e'.repeat(201), 'must have at most 200 characters'],
  ['parameters', [], 'must be an object'],
  ['variables', 'v', 'must be an array'],
  ['variables', [{}], 'is required', 'variables[0].name'],
  ['variables', [{ name: 'a' }, { name: 'a' }], 'must differ from those before it', 'variables[1].name'],
  ['tags', 'a,b', 'must be an array'],
  ['tags', [' '], BLANK, 'tags[0]'],
];
const DOCUMENT: Field[] = [
  ['title', '', BLANK],
  ['content', ' ', BLANK],
  ['mimeType', 'text/html', 'must come with content'],
  ['tags', [''], BLANK, 'tags[0]'],
  ['url', 'javascript:alert(1)', 'must be an http or https URL'],
  ['metadata', [], 'must be an object'],
];
const CHANGE_LOG: Field[] = [
  ['changeLog', ' ', BLANK],
  ['changeLog', 'c'.repeat(1001), 'must have at most 1000 characters'],
];
const RESTORE: Field[] = [
  ['versionId', undefined, 'must be a UUID'],
  ['versionId', '1', 'must be a UUID'],
];

function badBodies(route: string, fields: readonly Field[], good: object, path?: string): BadRequest[] {
  return fields.map(([field, value, rule, deeper]) => ({
    route,
    name: `${field} = ${JSON.stringify(value)?.slice(0, 40) ?? 'absent'}`,
    body: { ...good, [field]: value },
    field: deeper ?? field,
    message: `${deeper ?? field} ${rule}`,
    ...(path === undefined ? {} : { path }),
  }));
}

function unknown(route: string, field: string, body: object, path?: string): BadRequest {
  return {
    route,
    name: `unknown field ${field}`,
    body: { ...body, [field]: 1 },
    field,
    message: `unknown field "${field}"`,
    ...(path === undefined ? {} : { path }),
  };
}

/** [query, field, the broken rule] */
const QUERIES: [string, string, string][] = [
  ['', 'q', 'q is required'],
  ['q=%20', 'q', `q ${BLANK}`],
  [`q=${'q'.repeat(2001)}`, 'q', 'q must have at most 2000 characters after trimming'],
  ['q=a&type=folders', 'type', 'type must be one of prompts, documents, collections, all'],
  ['q=a&semantic=maybe', 'semantic', 'semantic must be one of true, false'],
  ['q=a&limit=0', 'limit', 'limit must be at least 1'],
  ['q=a&limit=51', 'limit', 'limit must be at most 50'],
  ['q=a&query=b', 'query', 'unknown field "query"'],
];

export const BAD_LIBRARY: BadRequest[] = [
  ...badBodies(
    'POST /v1/prompts',
    [['title', undefined, 'is required'], ['content', undefined, 'is required'], ...PROMPT],
    GOOD,
  ),
  unknown('POST /v1/prompts', 'isPublic', GOOD),
  unknown('POST /v1/prompts', 'changeLog', GOOD),
  ...badBodies('PATCH /v1/prompts/:id', [...PROMPT, ...CHANGE_LOG], {}, `/v1/prompts/${ID}`),
  unknown('PATCH /v1/prompts/:id', 'currentVersion', {}, `/v1/prompts/${ID}`),
  ...badBodies('POST /v1/prompts/:id/restore', RESTORE, {}, `/v1/prompts/${ID}/restore`),
  ...badBodies('PATCH /v1/documents/:id', [...DOCUMENT, ...CHANGE_LOG], {}, `/v1/documents/${ID}`),
  unknown('PATCH /v1/documents/:id', 'accessPolicy', {}, `/v1/documents/${ID}`),
  ...badBodies('POST /v1/documents/:id/restore', RESTORE, {}, `/v1/documents/${ID}/restore`),
  ...QUERIES.map(([query, field, message]) => ({
    route: 'GET /v1/search',
    name: query.slice(0, 40),
    path: `/v1/search?${query}`,
    field,
    message,
  })),
  ...['prompts', 'documents'].map((kind) => ({
    route: `GET /v1/${kind}/:id/versions`,
    name: 'limit=0',
    path: `/v1/${kind}/${ID}/versions?limit=0`,
    field: 'limit',
    message: 'limit must be at least 1',
  })),
];
