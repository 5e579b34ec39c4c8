import type { BadRequest } from './bad-parameters.js';

const ID = '0f3d5f36-2d1e-4a2f-9a77-1f6f7b2f0a55';
const CITATION = { chunkId: 'c', quotation: 'q' };

/** [route, body, the broken rule, the field that is named] */
const BODIES: [string, unknown, string, string][] = [
  ['POST /v1/citations/verify', {}, 'is required', 'citations'],
  ['POST /v1/citations/verify', { citations: [] }, 'must have at least 1 item', 'citations'],
  ['POST /v1/citations/verify', { citations: Array(101).fill(CITATION) }, 'must have at most 100 items', 'citations'],
  ['POST /v1/citations/verify', { citations: [{ chunkId: 'c' }] }, 'is required', 'citations[0].quotation'],
  [
    'POST /v1/citations/verify',
    { citations: [CITATION, { ...CITATION, contentHash: 'abc' }] },
    'must be a SHA-256 in hexadecimal',
    'citations[1].contentHash',
  ],
  [
    'POST /v1/citations/verify',
    { citations: [{ ...CITATION, quotation: 'q'.repeat(20_001) }] },
    'must have at most 20000 characters',
    'citations[0].quotation',
  ],
  ['POST /v1/feedback', { rating: 'positive' }, 'is required', 'requestId'],
  ['POST /v1/feedback', { requestId: 'r', rating: 'positive' }, 'must be a UUID', 'requestId'],
  ['POST /v1/feedback', { requestId: ID, rating: 5 }, 'must be one of positive, negative', 'rating'],
  ['POST /v1/feedback', { requestId: ID, rating: 'positive', note: ' ' }, 'must have at least 1 character', 'note'],
  ['POST /v1/feedback', { requestId: ID, rating: 'positive', answerable: 'yes' }, 'must be a boolean', 'answerable'],
];

export const BAD_REASONING: BadRequest[] = BODIES.map(([route, body, rule, field]) => ({
  route,
  name: `${field} ${rule}`,
  body,
  message: `${field} ${rule}`,
  field,
}));
