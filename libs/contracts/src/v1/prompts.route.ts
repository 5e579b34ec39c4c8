import { z } from 'zod';
import { defineRoute } from './define-route.js';
import { idParams, pageOf, paginationQuery } from './pagination.js';
import {
  changeLogSchema,
  restoreBodySchema,
  restoredSchema,
  tagsFilterSchema,
  tagsSchema,
  versionSchema,
} from './versions.js';

const nonBlank = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => value.trim().length > 0, 'must contain at least one non-whitespace character');

export const promptVariableSchema = z
  .strictObject({
    name: nonBlank(100),
    type: z.string().min(1).max(100).optional(),
    description: z.string().max(1000).optional(),
  })
  .meta({ id: 'PromptVariable' });
export type PromptVariable = z.infer<typeof promptVariableSchema>;

const summaryFields = {
  id: z.guid(),
  title: z.string(),
  /** Empty when there is none. */
  description: z.string(),
  /** Nothing is shared beyond the tenant. */
  isPublic: z.literal(false),
  currentVersion: z.number().int().positive(),
  tags: z.array(z.string()),
};
export const promptSummarySchema = z.strictObject(summaryFields).meta({ id: 'PromptSummary' });
export type PromptSummary = z.infer<typeof promptSummarySchema>;

export const promptSchema = z
  .strictObject({
    ...summaryFields,
    content: z.string(),
    /** The model that it was written for. */
    engine: z.string().nullable(),
    /** For that model; kept as given. */
    parameters: z.record(z.string(), z.json()),
    /**
     * The declared ones in their order, then the others that the content names as `${name}` or `{{name}}`, in the order
     * in which it does.
     */
    variables: z.array(promptVariableSchema),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Prompt' });
export type Prompt = z.infer<typeof promptSchema>;

const writableFields = {
  title: nonBlank(1000),
  description: z.string().max(2000),
  content: nonBlank(200_000),
  engine: z.string().min(1).max(200).nullable(),
  parameters: z.record(z.string(), z.json()),
  /** What isn't declared and stands in the content needs no declaration. */
  variables: z
    .array(promptVariableSchema)
    .max(100)
    .superRefine((variables, context) => {
      const names = new Set<string>();
      variables.forEach(({ name }, index) => {
        if (names.has(name))
          context.addIssue({ code: 'custom', path: [index, 'name'], message: 'must differ from those before it' });
        names.add(name);
      });
    }),
  tags: tagsSchema,
};

export const createPromptBodySchema = z
  .strictObject(writableFields)
  .partial()
  .required({ title: true, content: true })
  .meta({ id: 'CreatePrompt' });
export type CreatePromptBody = z.infer<typeof createPromptBodySchema>;

export const updatePromptBodySchema = z
  .strictObject({ ...writableFields, changeLog: changeLogSchema })
  .partial()
  .meta({ id: 'UpdatePrompt' });
export type UpdatePromptBody = z.infer<typeof updatePromptBodySchema>;

const one = z.strictObject({ data: promptSchema });

export const listPromptsRoute = defineRoute({
  method: 'GET',
  path: '/v1/prompts',
  summary: 'List prompts',
  description: 'Newest first. Prompts are templates and never evidence: no search, context or answer contains them.',
  action: 'prompts:*',
  audit: 'prompt.read',
  query: z.strictObject({
    ...paginationQuery,
    /** Part of the title or the description. */
    q: z.string().max(200).optional(),
    tags: tagsFilterSchema.optional(),
  }),
  response: pageOf(promptSummarySchema),
  status: 200,
});

export const createPromptRoute = defineRoute({
  method: 'POST',
  path: '/v1/prompts',
  summary: 'Create a prompt',
  action: 'prompts:*',
  audit: 'prompt.create',
  body: createPromptBodySchema,
  response: one,
  status: 201,
  idempotent: true,
});

export const getPromptRoute = defineRoute({
  method: 'GET',
  path: '/v1/prompts/:id',
  summary: 'Read a prompt',
  action: 'prompts:*',
  audit: 'prompt.read',
  params: idParams,
  response: one,
  status: 200,
});

export const updatePromptRoute = defineRoute({
  method: 'PATCH',
  path: '/v1/prompts/:id',
  summary: 'Change a prompt',
  description:
    'Absent fields stay. A change of anything but the tags makes a new version. `changeLog` is kept with the version that the call makes; where it makes none, it is added to the one there is.',
  action: 'prompts:*',
  audit: 'prompt.update',
  params: idParams,
  body: updatePromptBodySchema,
  response: one,
  status: 200,
});

export const deletePromptRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/prompts/:id',
  summary: 'Delete a prompt with its versions',
  description: 'It is gone for good, also from its collections; 404 when there is none any more.',
  action: 'prompts:*',
  audit: 'prompt.delete',
  params: idParams,
  response: z.null(),
  status: 204,
});

export const listPromptVersionsRoute = defineRoute({
  method: 'GET',
  path: '/v1/prompts/:id/versions',
  summary: 'List the versions of a prompt',
  description: 'Newest first. A page ends early where the contents would have more than 2,000,000 characters together.',
  action: 'prompts:*',
  audit: 'prompt.read',
  params: idParams,
  query: z.strictObject(paginationQuery),
  response: pageOf(versionSchema),
  status: 200,
});

export const restorePromptRoute = defineRoute({
  method: 'POST',
  path: '/v1/prompts/:id/restore',
  summary: 'Bring back a version of a prompt',
  description:
    'As a new version with what that one said: title, description, content, engine, parameters and declared variables. Tags stay as they are. What it says already makes no new version.',
  action: 'prompts:*',
  audit: 'prompt.restore',
  params: idParams,
  body: restoreBodySchema,
  response: z.strictObject({ data: restoredSchema }),
  status: 200,
  idempotent: true,
});
