import { z } from 'zod';
import { uuidSchema } from '../ids.js';
import { defineRoute } from './define-route.js';
import { idParams, pageOf, paginationQuery } from './pagination.js';
import { tagsFilterSchema, tagsSchema } from './versions.js';

export const collectionSchema = z
  .strictObject({
    id: z.guid(),
    name: z.string(),
    description: z.string().nullable(),
    color: z.string().nullable(),
    icon: z.string().nullable(),
    itemCount: z.number().int(),
    tags: z.array(z.string()),
  })
  .meta({ id: 'Collection' });
export type Collection = z.infer<typeof collectionSchema>;

const name = z.string().trim().min(1, 'must contain at least one non-whitespace character').max(200);
const optionalFields = {
  description: z.string().max(2000).nullable().optional(),
  color: z.string().max(50).nullable().optional(),
  icon: z.string().max(50).nullable().optional(),
  tags: tagsSchema.optional(),
};
const createCollectionBody = z.strictObject({ name, ...optionalFields }).meta({ id: 'CreateCollection' });
const updateCollectionBody = z
  .strictObject({ name: name.optional(), ...optionalFields })
  .meta({ id: 'UpdateCollection' });
export type CreateCollectionBody = z.infer<typeof createCollectionBody>;
export type UpdateCollectionBody = z.infer<typeof updateCollectionBody>;
const one = z.strictObject({ data: collectionSchema });

export const membershipBodySchema = z
  .strictObject({
    itemIds: z.array(uuidSchema).min(1).max(500),
    itemType: z.enum(['prompt', 'document']).default('document'),
  })
  .meta({ id: 'CollectionMembership' });
export type MembershipBody = z.infer<typeof membershipBodySchema>;

export const listCollectionsRoute = defineRoute({
  method: 'GET',
  path: '/v1/collections',
  summary: 'List collections',
  action: 'collections:*',
  audit: 'collection.read',
  query: z.strictObject({
    ...paginationQuery,
    /** Part of the name or the description. */
    search: z.string().max(200).optional(),
    tags: tagsFilterSchema.optional(),
  }),
  response: pageOf(collectionSchema),
  status: 200,
});
export const createCollectionRoute = defineRoute({
  method: 'POST',
  path: '/v1/collections',
  summary: 'Create a collection',
  action: 'collections:*',
  audit: 'collection.create',
  body: createCollectionBody,
  response: one,
  status: 201,
  idempotent: true,
});
export const getCollectionRoute = defineRoute({
  method: 'GET',
  path: '/v1/collections/:id',
  summary: 'Read a collection',
  action: 'collections:*',
  audit: 'collection.read',
  params: idParams,
  response: one,
  status: 200,
});
export const updateCollectionRoute = defineRoute({
  method: 'PATCH',
  path: '/v1/collections/:id',
  summary: 'Change a collection',
  action: 'collections:*',
  audit: 'collection.update',
  params: idParams,
  body: updateCollectionBody,
  response: one,
  status: 200,
});
export const deleteCollectionRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/collections/:id',
  summary: 'Delete a collection',
  description: 'The items stay.',
  action: 'collections:*',
  audit: 'collection.delete',
  params: idParams,
  response: z.null(),
  status: 204,
});
export const listCollectionItemsRoute = defineRoute({
  method: 'GET',
  path: '/v1/collections/:id/items',
  summary: 'List the items of a collection',
  description:
    'In the order in which they were put in. What the key may not see is not among them, nor in `itemCount`.',
  action: 'collections:*',
  audit: 'collection.read',
  params: idParams,
  query: z.strictObject(paginationQuery),
  response: pageOf(z.strictObject({ itemId: z.guid(), itemType: z.enum(['prompt', 'document']), title: z.string() })),
  status: 200,
});
export const addCollectionItemsRoute = defineRoute({
  method: 'POST',
  path: '/v1/collections/:id/items',
  summary: 'Put items into a collection',
  description: 'Documents, or prompts for a key with the action `prompts:*`: all of the call or none.',
  action: 'collections:*',
  audit: 'collection.add_items',
  params: idParams,
  body: membershipBodySchema,
  response: z.strictObject({
    data: z.strictObject({ added: z.number().int(), alreadyInCollection: z.number().int() }),
  }),
  status: 200,
  idempotent: true,
});
export const removeCollectionItemsRoute = defineRoute({
  method: 'PUT',
  path: '/v1/collections/:id/items',
  summary: 'Take items out of a collection',
  action: 'collections:*',
  audit: 'collection.remove_items',
  params: idParams,
  body: membershipBodySchema,
  response: z.strictObject({ data: z.strictObject({ removed: z.number().int() }) }),
  status: 200,
});
