import { z } from 'zod';
import { defineRoute } from './define-route.js';
import { itemErrorSchema } from './ingest.route.js';
import { idParams, pageOf, paginationQuery } from './pagination.js';
import {
  SOURCE_CREDENTIALS_SCHEMAS,
  SOURCE_PROVIDERS,
  SOURCE_SETTINGS_SCHEMAS,
  sourceProviderSchema,
} from './source-providers.js';

const name = z.string().trim().min(1, 'must contain at least one non-whitespace character').max(200);

export const DEFAULT_SYNC_MINUTES = 15;
export const DEFAULT_RECONCILE_MINUTES = 24 * 60;

const interval = z
  .strictObject({
    everyMinutes: z
      .number()
      .int()
      .min(1)
      .max(30 * 24 * 60),
  })
  .nullable();

const timing = {
  /** Incremental syncs; null = only when asked for, or by events. */
  schedule: interval.optional(),
  /** Comparisons of all ids, which find what was deleted unseen; null = only with a full sync. */
  reconcile: interval.optional(),
};
const common = { name, ...timing };

export const createSourceBodySchema = z
  .discriminatedUnion(
    'provider',
    [
      z.strictObject({
        ...common,
        provider: z.literal('slack'),
        settings: SOURCE_SETTINGS_SCHEMAS.slack.prefault({}),
        credentials: SOURCE_CREDENTIALS_SCHEMAS.slack,
      }),
      z.strictObject({
        ...common,
        provider: z.literal('notion'),
        settings: SOURCE_SETTINGS_SCHEMAS.notion.prefault({}),
        credentials: SOURCE_CREDENTIALS_SCHEMAS.notion,
      }),
      z.strictObject({
        ...common,
        provider: z.literal('google_drive'),
        settings: SOURCE_SETTINGS_SCHEMAS.google_drive.prefault({}),
        credentials: SOURCE_CREDENTIALS_SCHEMAS.google_drive,
      }),
      z.strictObject({
        ...common,
        provider: z.literal('gmail'),
        settings: SOURCE_SETTINGS_SCHEMAS.gmail.prefault({}),
        credentials: SOURCE_CREDENTIALS_SCHEMAS.gmail,
      }),
    ],
    { error: `must be one of ${SOURCE_PROVIDERS.join(', ')}` },
  )
  .meta({ id: 'CreateSource' });
export type CreateSourceBody = z.infer<typeof createSourceBodySchema>;

/** Settings and credentials are replaced as a whole, and checked by the provider's own schema. */
export const updateSourceBodySchema = z
  .strictObject({
    name: name.optional(),
    settings: z.record(z.string(), z.json()).optional(),
    credentials: z.record(z.string(), z.json()).optional(),
    state: z.enum(['active', 'paused']).optional(),
    ...timing,
  })
  .meta({ id: 'UpdateSource' });
export type UpdateSourceBody = z.infer<typeof updateSourceBodySchema>;

export const SOURCE_STATES = ['active', 'paused', 'deleting', 'deleted'] as const;
export const sourceStateSchema = z.enum(SOURCE_STATES);
export type SourceState = z.infer<typeof sourceStateSchema>;

const timedError = z.strictObject({ ...itemErrorSchema.shape, at: z.iso.datetime() });

export const sourceCheckSchema = z.strictObject({
  /** `pending`: no worker has answered yet; `unavailable`: the provider couldn't be asked. */
  status: z.enum(['ok', 'rejected', 'unavailable', 'pending']),
  /** Whose account the credentials are, in the provider's words. */
  account: z.string().nullable(),
  error: itemErrorSchema.nullable(),
  checkedAt: z.iso.datetime().nullable(),
});
export type SourceCheck = z.infer<typeof sourceCheckSchema>;

export const sourceSchema = z
  .strictObject({
    id: z.guid(),
    name: z.string(),
    provider: sourceProviderSchema,
    settings: z.record(z.string(), z.json()),
    /** Which fields are set, and the id of the key that they are encrypted with; never the values. */
    credentials: z.strictObject({ fields: z.array(z.string()), keyId: z.string().nullable() }),
    schedule: interval,
    reconcile: interval,
    state: sourceStateSchema,
    lastCheck: sourceCheckSchema.nullable(),
    /** End of the last sync that went through; how fresh the source is. */
    lastSuccessAt: z.iso.datetime().nullable(),
    /** When all ids were last compared with the provider's. */
    lastReconciledAt: z.iso.datetime().nullable(),
    lastError: timedError.nullable(),
    /** null = nothing is scheduled. */
    nextRunAt: z.iso.datetime().nullable(),
    activeRunId: z.guid().nullable(),
    items: z.strictObject({
      total: z.number().int(),
      /** Policy health: no readable access policy, so they are withheld from keys with principals. */
      withheld: z.number().int(),
      /** The newest version ended in an error. */
      failed: z.number().int(),
    }),
    /** While it is being removed, and after. */
    removal: z.strictObject({ itemsTotal: z.number().int(), itemsRemaining: z.number().int() }).nullable(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Source' });
export type Source = z.infer<typeof sourceSchema>;

const oneSource = z.strictObject({ data: sourceSchema });

export const listSourcesRoute = defineRoute({
  method: 'GET',
  path: '/v1/sources',
  summary: 'List connected sources',
  description: 'Removed sources are not listed; one being removed is.',
  action: 'sources:read',
  audit: 'source.read',
  query: z.strictObject(paginationQuery),
  response: pageOf(sourceSchema),
  status: 200,
});
export const createSourceRoute = defineRoute({
  method: 'POST',
  path: '/v1/sources',
  summary: 'Connect a source',
  description: 'Credentials are stored encrypted and never shown again. The first sync starts by itself.',
  action: 'sources:write',
  audit: 'source.create',
  body: createSourceBodySchema,
  response: oneSource,
  status: 201,
  idempotent: true,
});
export const getSourceRoute = defineRoute({
  method: 'GET',
  path: '/v1/sources/:id',
  summary: 'Read a source',
  action: 'sources:read',
  audit: 'source.read',
  params: idParams,
  response: oneSource,
  status: 200,
});
export const updateSourceRoute = defineRoute({
  method: 'PATCH',
  path: '/v1/sources/:id',
  summary: 'Change a source',
  description:
    'Changed settings end the active run; the next one starts from the beginning (at once where there is a schedule). Content that is known is not read again.',
  action: 'sources:write',
  audit: 'source.update',
  params: idParams,
  body: updateSourceBodySchema,
  response: oneSource,
  status: 200,
});
export const deleteSourceRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/sources/:id',
  summary: 'Remove a source and all of its items',
  description:
    'Its items are hidden from the next query on and its credentials are gone at once; the rest is done in the background, with progress. Repeating the call starts a stuck removal anew.',
  action: 'sources:write',
  audit: 'source.delete',
  params: idParams,
  response: oneSource,
  status: 202,
});
export const checkSourceRoute = defineRoute({
  method: 'POST',
  path: '/v1/sources/:id/check',
  summary: 'Prove the credentials',
  action: 'sources:write',
  audit: 'source.check',
  params: idParams,
  body: z.strictObject({}).optional(),
  response: z.strictObject({ data: sourceCheckSchema }),
  status: 200,
  idempotent: true,
});
export const slackEventsRoute = defineRoute({
  method: 'POST',
  path: '/v1/sources/:id/slack-events',
  summary: 'Events that Slack sends',
  description:
    "Takes no API key: the body is signed with the source's signing secret (`X-Slack-Signature`, `X-Slack-Request-Timestamp`). Events start an incremental sync; a deleted thread is hidden at once, one with a deleted reply is read again.",
  action: 'signed',
  audit: 'source.event',
  params: z.strictObject({ id: z.string() }),
  response: z.strictObject({ ok: z.literal(true) }).or(z.strictObject({ challenge: z.string() })),
  status: 200,
  rateLimited: false,
});
