import { z } from 'zod';
import { actionSchema } from '../caller-scope.js';
import { defineRoute } from './define-route.js';

export const capabilitiesSchema = z
  .strictObject({
    name: z.literal('candor'),
    /** Of the public API. */
    apiVersion: z.literal('v1'),
    tools: z.array(
      z.strictObject({
        /** As MCP clients call it. */
        name: z.string(),
        description: z.string(),
        /** The same by REST, e.g. `POST /v1/search`. */
        endpoint: z.string(),
        action: actionSchema,
        /** Whether this key has the action. */
        allowed: z.boolean(),
      }),
    ),
    limits: z.strictObject({
      /** For each action of this key; null = none. */
      requestsPerMinute: z.number().int().nullable(),
      queryCharacters: z.number().int(),
      searchHits: z.number().int(),
      passages: z.number().int(),
      foundItems: z.number().int(),
      listPage: z.number().int(),
      ingestDocuments: z.number().int(),
      bodyBytes: z.number().int(),
      ingestBodyBytes: z.number().int(),
      uploadBytes: z.number().int(),
    }),
  })
  .meta({ id: 'Capabilities' });
export type Capabilities = z.infer<typeof capabilitiesSchema>;

export const capabilitiesRoute = defineRoute({
  method: 'GET',
  path: '/v1/mcp/capabilities',
  summary: 'Tools and limits',
  action: 'authenticated',
  audit: 'capabilities.read',
  response: z.strictObject({ data: capabilitiesSchema }),
  status: 200,
});
