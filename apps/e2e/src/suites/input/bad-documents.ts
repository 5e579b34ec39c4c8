import type { BadRequest } from './bad-parameters.js';

const route = 'POST /v1/documents';
const GOOD = { title: 't', content: 'c' };
const BLANK = 'must contain at least one non-whitespace character';

/** [field, its value, the broken rule, the field that is named if it is a deeper one] */
const FIELDS: [string, unknown, string, string?][] = [
  ['title', undefined, 'is required without a file'],
  ['title', ' ', BLANK],
  ['title', 't'.repeat(1001), 'must have at most 1000 characters'],
  ['content', undefined, 'is required without a file'],
  ['content', '\n', BLANK],
  ['content', 'a\u0000', 'must not contain NUL characters'],
  ['mimeType', 'application/pdf', 'must be one of text/plain, text/markdown, text/html'],
  ['externalId', '', BLANK],
  ['url', 'javascript:alert(1)', 'must be an http or https URL'],
  ['sourceUpdatedAt', 'now', 'must be an ISO 8601 timestamp with a time zone'],
  ['tags', 't', 'must be an array'],
  ['collectionIds', ['x'], 'must be a UUID', 'collectionIds[0]'],
  ['accessPolicy', { provider: 'slack', mode: 'provider_scope' }, 'must name the provider "upload"'],
];

export const BAD_DOCUMENTS: BadRequest[] = [
  ...FIELDS.map(([field, value, rule, deeper]) => ({
    route,
    name: `${field} ${JSON.stringify(value)?.slice(0, 40) ?? 'absent'}`,
    body: { ...GOOD, [field]: value },
    field: deeper ?? field,
    message: `${deeper ?? field} ${rule}`,
  })),
  {
    route,
    name: 'a file in JSON',
    body: { file: { name: 'a.txt', mediaType: 'text/plain', byteSize: 1, sha256: 'x' } },
    field: 'file',
    message: 'file must be sent as multipart/form-data',
  },
  { route, name: 'an unknown field', body: { ...GOOD, body: 'c' }, field: 'body', message: 'unknown field "body"' },
];
