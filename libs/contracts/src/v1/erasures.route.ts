import { z } from 'zod';
import { uuidSchema } from '../ids.js';
import { defineRoute } from './define-route.js';
import { idParams, pageOf, paginationQuery } from './pagination.js';

/** Steps of an erasure, in order. */
export const ERASURE_STEPS = ['queue', 'index', 'rows', 'texts', 'certificate'] as const;
export type ErasureStep = (typeof ERASURE_STEPS)[number];

const count = z.number().int().nonnegative();

export const erasureSchema = z
  .strictObject({
    id: z.guid(),
    kind: z.enum(['tenant', 'person']),
    tenantId: z.guid(),
    state: z.enum(['running', 'done']),
    step: z.enum(ERASURE_STEPS),
    /** What is gone so far, by what it was. */
    counts: z.record(z.string(), count),
    createdAt: z.iso.datetime(),
    endedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Erasure' });
export type Erasure = z.infer<typeof erasureSchema>;

const dryRun = z.boolean().default(false);
const names = z.array(z.string().trim().min(1).max(320)).max(100);

export const createErasureBodySchema = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('tenant'),
      /** Default: the caller's own. Another one only with the installation's first key. */
      tenantId: uuidSchema.optional(),
      /** The tenant's name, as a confirmation: this can't be undone. */
      confirm: z.string(),
      dryRun,
    }),
    z.strictObject({
      kind: z.literal('person'),
      /** Keys that the person uses alone; they stop working. */
      apiKeyIds: z.array(uuidSchema).max(100).default([]),
      /** As sources and prompts name the person. */
      authorNames: names.default([]),
      dryRun,
    }),
  ])
  .meta({ id: 'CreateErasure' });
export type CreateErasureBody = z.infer<typeof createErasureBodySchema>;

export const createErasureRoute = defineRoute({
  method: 'POST',
  path: '/v1/erasures',
  summary: 'Erase a tenant, or a person within the tenant',
  description:
    'Nothing of it answers from the next request on; what is stored goes step by step, and an audit event certifies the end. With `dryRun` only the counts are given.',
  action: 'admin',
  audit: 'erasure.request',
  body: createErasureBodySchema,
  response: z.strictObject({
    data: z.strictObject({
      /** null for a dry run. */
      erasure: erasureSchema.nullable(),
      /** What there is to erase, by what it is. */
      found: z.record(z.string(), count),
    }),
  }),
  status: 202,
  idempotent: true,
});

export const listErasuresRoute = defineRoute({
  method: 'GET',
  path: '/v1/erasures',
  summary: 'List erasures that this tenant asked for',
  action: 'admin',
  audit: 'erasure.read',
  query: z.strictObject(paginationQuery),
  response: pageOf(erasureSchema),
  status: 200,
});

export const erasureRoute = defineRoute({
  method: 'GET',
  path: '/v1/erasures/:id',
  summary: 'How far an erasure is',
  action: 'admin',
  audit: 'erasure.read',
  params: idParams,
  response: z.strictObject({ data: erasureSchema }),
  status: 200,
  rateLimited: false,
});
