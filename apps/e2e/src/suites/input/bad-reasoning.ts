import type { BadRequest } from './bad-parameters.js';

const INSTANT = 'must be an ISO 8601 timestamp with a time zone';
const POLICIES = 'retrieval_only, evidence_assembly, proposal_assisted, review_required';
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
  ['POST /v1/feedback', { rating: 'positive' }, 'must be a UUID', 'requestId'],
  ['POST /v1/feedback', { requestId: 'r', rating: 'positive' }, 'must be a UUID', 'requestId'],
  ['POST /v1/feedback', { requestId: ID, rating: 5 }, 'must be one of positive, negative', 'rating'],
  ['POST /v1/feedback', { requestId: ID, rating: 'positive', note: ' ' }, 'must have at least 1 character', 'note'],
  ['POST /v1/feedback', { requestId: ID, rating: 'positive', answerable: 'yes' }, 'must be a boolean', 'answerable'],
  ['POST /v1/reasoning', {}, 'is required', 'query'],
  ['POST /v1/reasoning', { query: 7 }, 'must be a string', 'query'],
  ['POST /v1/reasoning', { query: 'q'.repeat(2001) }, 'must have at most 2000 characters', 'query'],
  ['POST /v1/reasoning', { query: 'q', tenant_id: 'x' }, 'must be a UUID', 'tenant_id'],
  [
    'POST /v1/reasoning',
    { query: 'q', generation: { generation_id: '' } },
    'must have at least 1 character',
    'generation.generation_id',
  ],
  [
    'POST /v1/reasoning',
    { query: 'q', generation: { generation_id: 'g'.repeat(201) } },
    'must have at most 200 characters',
    'generation.generation_id',
  ],
  ['POST /v1/reasoning', { query: 'q', known_as_of: 'now' }, INSTANT, 'known_as_of'],
  ['POST /v1/reasoning', { query: 'q', policy: { name: 'guess' } }, `must be one of ${POLICIES}`, 'policy.name'],
  [
    'POST /v1/reasoning',
    { query: 'q', policy: { require_certified_evidence: 'no' } },
    'must be a boolean',
    'policy.require_certified_evidence',
  ],
  ['POST /v1/reasoning', { query: 'q', policy: 'guess' }, `must be one of ${POLICIES}`, 'policy'],
  ['POST /v1/reasoning', { query: 'q', budget: { max_steps: -1 } }, 'must be at least 0', 'budget.max_steps'],
  ['POST /v1/reasoning', { query: 'q', budget: { max_steps: '3' } }, 'must be a number', 'budget.max_steps'],
  ['POST /v1/calibrations', { queries: [{ query: 'q' }] }, 'is required', 'queries[0].answerable'],
  ['POST /v1/calibrations', { generationId: 'g' }, 'must be a UUID', 'generationId'],
  ['POST /v1/calibrations', { growthBound: 2 }, 'must be at most 1', 'growthBound'],
];

const UNKNOWN: [string, unknown, string][] = [
  ['POST /v1/reasoning', { query: 'q', documentId: ID }, 'documentId'],
  ['POST /v1/reasoning', { query: 'q', budget: { max_tokens: 3 } }, 'budget.max_tokens'],
  ['POST /v1/reasoning', { query: 'q', policy: { name: 'retrieval_only', strict: true } }, 'policy.strict'],
  ['POST /v1/reasoning', { query: 'q', providers: {} }, 'providers'],
  ['POST /v1/calibrations', { threshold: 0.5 }, 'threshold'],
];

export const BAD_REASONING: BadRequest[] = [
  ...BODIES.map(([route, body, rule, field]) => ({
    route,
    name: `${field} ${rule}`,
    body,
    message: `${field} ${rule}`,
    field,
  })),
  ...UNKNOWN.map(([route, body, field]) => ({
    route,
    name: `unknown ${field}`,
    body,
    message: `unknown field "${field}"`,
    field,
  })),
];
