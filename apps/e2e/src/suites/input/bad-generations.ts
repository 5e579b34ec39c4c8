import type { BadRequest } from './bad-parameters.js';

/** [body, the broken rule, the field that is named] */
const CREATED: [Record<string, unknown>, string, string][] = [
  [{ model: '' }, 'must have at least 1 character', 'model'],
  [{ model: '  ' }, 'must have at least 1 character', 'model'],
  [{ model: 'm'.repeat(201) }, 'must have at most 200 characters', 'model'],
  [{ model: 7 }, 'must be a string', 'model'],
];

export const BAD_GENERATIONS: BadRequest[] = [
  ...CREATED.map(([body, rule, field]) => ({
    route: 'POST /v1/generations',
    name: JSON.stringify(body).slice(0, 40),
    body,
    message: `${field} ${rule}`,
    field,
  })),
  {
    route: 'POST /v1/generations',
    name: 'unknown field',
    body: { dimensions: 3 },
    message: 'unknown field "dimensions"',
    field: 'dimensions',
  },
];
