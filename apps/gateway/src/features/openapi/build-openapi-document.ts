import { z } from 'zod';
import { ERROR_CATALOGUE, type RouteContract } from '@candor/contracts';

type JsonObject = Record<string, unknown>;

const ERROR_SCHEMA = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'type', 'message', 'details', 'requestId'],
      properties: {
        code: { type: 'integer', description: 'HTTP status.' },
        type: { type: 'string', enum: Object.keys(ERROR_CATALOGUE) },
        message: { type: 'string' },
        details: { type: ['object', 'null'] },
        requestId: { type: 'string', format: 'uuid' },
      },
    },
  },
};

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' }) as JsonObject;
  return json;
}

function parametersOf(schema: z.ZodType | undefined, place: 'path' | 'query'): JsonObject[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, JsonObject>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }));
}

function operationOf(route: RouteContract): JsonObject {
  const parameters = [...parametersOf(route.params, 'path'), ...parametersOf(route.query, 'query')];
  const header = { name: 'Idempotency-Key', in: 'header', required: false, schema: { type: 'string', maxLength: 255 } };
  if (route.idempotent) parameters.push(header);
  const content = { 'application/json': { schema: schemaOf(route.response, 'input') } };
  const needs = route.action === 'signed' ? '' : `Needs the action \`${route.action}\`.`;
  const description = [route.description, needs].filter(Boolean).join(' ');
  return {
    operationId: `${route.method.toLowerCase()}${route.path.replace(/[^A-Za-z0-9]+(.)?/g, (_, next: string = '') => next.toUpperCase())}`,
    summary: route.summary,
    description,
    tags: [route.path.split('/')[2] ?? 'v1'],
    ...(route.action === 'signed' ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body
      ? {
          requestBody: {
            required: !route.body.safeParse(undefined).success,
            content: bodyContent(route, schemaOf(route.body, 'input')),
          },
        }
      : {}),
    responses: {
      [route.status]: { description: 'Success', ...(route.status === 204 ? {} : { content }) },
      default: {
        description: 'Error',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  };
}

/** A form has the fields of the JSON body and the file itself, which JSON can't hold. */
function bodyContent(route: RouteContract, schema: JsonObject): JsonObject {
  if (!route.upload) return { 'application/json': { schema } };
  const { $ref, ...whole } = schema as { $ref?: string; $defs?: Record<string, JsonObject> } & JsonObject;
  const root = { ...(whole.$defs?.[$ref?.split('/').at(-1) ?? ''] ?? whole), ...whole };
  const { file: _described, ...fields } = (root as { properties?: JsonObject }).properties ?? {};
  const withFile = { ...fields, file: { type: 'string', format: 'binary' } };
  return {
    'application/json': { schema: { ...root, properties: fields } },
    'multipart/form-data': { schema: { ...root, properties: withFile } },
  };
}

/** OpenAPI 3.1, from the same zod contracts that check the requests. Pure: equal routes give an equal document. */
export function buildOpenApiDocument(routes: readonly RouteContract[]): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const route of [...routes].sort((left, right) => (left.path < right.path ? -1 : 1))) {
    const path = route.path.replace(/:([A-Za-z]+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Candor',
      version: '1',
      description:
        'Context gateway: says what it found, what it left out and why, and answers only with statements whose quotations occur verbatim in the sources.',
    },
    security: [{ apiKey: [] }, { bearer: [] }],
    paths,
    components: {
      schemas: { Error: ERROR_SCHEMA },
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: '`API-Key gm_<publicId>_<secret>`',
        },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}
