import type { BadRequest } from './bad-parameters.js';

const route = 'POST /v1/ingest';
const GOOD = { provider: 'slack', sourceKind: 'message', externalId: 'e', title: 't', body: 'b' };
const BLANK = 'must contain at least one non-whitespace character';
const INSTANT = 'must be an ISO 8601 timestamp with a time zone';
const PROVIDERS = 'must be one of slack, notion, google_drive, gmail, upload';

/** [field below the document, its value, the broken rule, the field that is named if it is a deeper one] */
const FIELDS: [string, unknown, string, string?][] = [
  ['provider', undefined, 'is required'],
  ['provider', 'sharepoint', PROVIDERS],
  ['provider', null, PROVIDERS],
  ['sourceKind', 'page', 'must be one of message, document, file'],
  ['externalId', undefined, 'is required'],
  ['externalId', '', BLANK],
  ['externalId', '\u00a0', BLANK],
  ['externalId', 7, 'must be a string'],
  ['externalId', 'e'.repeat(513), 'must have at most 512 characters'],
  ['externalId', 'a\u0000', 'must not contain NUL characters'],
  ['title', ' ', BLANK],
  ['title', 't'.repeat(1001), 'must have at most 1000 characters'],
  ['body', undefined, 'is required'],
  ['body', '', BLANK],
  ['body', ['text'], 'must be a string'],
  ['mimeType', 'application/pdf', 'must be one of text/plain, text/markdown, text/html'],
  ['url', 'not a url', 'must be an http or https URL'],
  ['url', 'javascript:alert(1)', 'must be an http or https URL'],
  ['url', 'file:///etc/passwd', 'must be an http or https URL'],
  ['authorName', 'a'.repeat(501), 'must have at most 500 characters'],
  ['sourceCreatedAt', '2024-13-01T00:00:00Z', INSTANT],
  ['sourceUpdatedAt', 'now', INSTANT],
  ['syncedAt', 1700000000000, INSTANT],
  ['validFrom', '2024-01-01', INSTANT],
  // In UTC it is in the year 10000.
  ['validUntil', '9999-12-31T23:59:59-05:00', 'must be in the years 1 to 9999, in UTC'],
  ['validFrom', '0000-01-01T00:00:00Z', 'must be in the years 1 to 9999, in UTC'],
  ['supersedes', 'e', 'must be an array'],
  ['supersedes', [' '], BLANK, 'supersedes[0]'],
  ['supersedes', Array(101).fill('e'), 'must have at most 100 items'],
  ['collectionIds', ['x'], 'must be a UUID', 'collectionIds[0]'],
  ['tags', [''], BLANK, 'tags[0]'],
  ['tags', ['t'.repeat(101)], 'must have at most 100 characters', 'tags[0]'],
  ['connectorId', 'x', 'must be a UUID'],
  ['connectorId', null, 'must be a UUID'],
  ['accessPolicy', 'public', 'must be an object'],
  ['accessPolicy', {}, 'is required', 'accessPolicy.provider'],
  ['accessPolicy', { provider: 'slack' }, 'is required', 'accessPolicy.mode'],
  ['accessPolicy', { provider: 'slack', mode: 'public' }, 'must be one of provider_scope, acl', 'accessPolicy.mode'],
  ['accessPolicy', { provider: 'gmail', mode: 'acl' }, 'must equal the document provider', 'accessPolicy.provider'],
  [
    'accessPolicy',
    { provider: 'slack', mode: 'acl', principals: 'anyone' },
    'must be an array',
    'accessPolicy.principals',
  ],
  [
    'accessPolicy',
    { provider: 'slack', mode: 'acl', principals: ['anyone', ''] },
    'must have at least 1 character',
    'accessPolicy.principals[1]',
  ],
  [
    'accessPolicy',
    { provider: 'slack', mode: 'acl', principals: [null] },
    'must be a string',
    'accessPolicy.principals[0]',
  ],
  ['metadata', [], 'must be an object'],
  ['metadata', { a: { b: 'x\u0000' } }, 'must not contain NUL characters', 'metadata.a.b'],
  ['metadata', nest(120), 'must not be nested deeper than 100 levels', 'body'],
];

export const BAD_INGESTS: BadRequest[] = [
  { route, name: 'no body', message: 'body is required', field: 'body' },
  { route, name: 'no documents', body: {}, message: 'documents is required', field: 'documents' },
  {
    route,
    name: 'an empty list',
    body: { documents: [] },
    message: 'documents must have at least 1 item',
    field: 'documents',
  },
  {
    route,
    name: 'documents that are an object',
    body: { documents: GOOD },
    message: 'documents must be an array',
    field: 'documents',
  },
  {
    route,
    name: 'a document that is null',
    body: { documents: [GOOD, null] },
    message: 'documents[1] must be an object',
    field: 'documents[1]',
  },
  {
    route,
    name: 'an unknown field beside the documents',
    body: { documents: [GOOD], async: true },
    message: 'unknown field "async"',
    field: 'async',
  },
  {
    route,
    name: 'an unknown field in a document',
    body: { documents: [GOOD, { ...GOOD, externalId: 'f', author: 'A' }] },
    message: 'unknown field "documents[1].author"',
    field: 'documents[1].author',
  },
  {
    route,
    name: 'a validity that ends before it begins',
    body: { documents: [{ ...GOOD, validFrom: '2024-02-01T00:00:00Z', validUntil: '2024-01-01T00:00:00Z' }] },
    message: 'documents[0].validUntil must be later than validFrom',
    field: 'documents[0].validUntil',
  },
  ...FIELDS.map(([name, value, rule, deeper]) => {
    const field = deeper === 'body' ? 'body' : `documents[1].${deeper ?? name}`;
    return {
      route,
      name: `${name} = ${JSON.stringify(value)?.slice(0, 60)}`,
      body: { documents: [GOOD, { ...GOOD, externalId: 'f', [name]: value }] },
      message: `${field} ${rule}`,
      field,
    };
  }),
];

function nest(levels: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < levels; level += 1) value = { value };
  return value;
}
