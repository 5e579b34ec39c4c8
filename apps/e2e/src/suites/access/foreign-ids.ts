import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { RouteContract } from '@candor/contracts';
import type { SampleRequest } from '../operation/sample-requests.js';

/** What one tenant has, by the kind of thing that a field names. */
export interface ForeignIds {
  item: string;
  chunk: string;
  collection: string;
  session: string;
  request: string;
  source: string;
  key: string;
  prompt: string;
  generation: string;
}

/** Every field of a request that names something, with what it names; a new one has to say what it is. */
const KIND_OF_FIELD: Record<string, keyof ForeignIds | null> = {
  sourceItemId: 'item',
  documentId: 'item',
  itemId: 'item',
  itemIds: 'item',
  id: 'item',
  chunkId: 'chunk',
  collectionId: 'collection',
  collectionIds: 'collection',
  sessionId: 'session',
  requestId: 'request',
  sourceId: 'source',
  connectorId: 'source',
  apiKeyId: 'key',
  actorApiKeyId: 'key',
  versionId: 'prompt',
  generationId: 'generation',
  // Of the caller's own system, not an id of ours.
  externalId: null,
  tenantId: null,
};

export function kindOfField(field: string): keyof ForeignIds | null {
  const kind = KIND_OF_FIELD[field];
  if (kind === undefined) throw new Error(`foreign-ids.ts has to say what the field "${field}" names`);
  return kind;
}

export function namesSomething(field: string): boolean {
  return field === 'id' || /(?:Id|Ids)$/.test(field);
}

/** Something that is as long and of the same letters, and is nowhere. */
function unknownLike(id: string): string {
  return /^[0-9a-f]{8}-/.test(id) ? randomUUID() : randomBytes(id.length).toString('hex').slice(0, id.length);
}

export interface ForeignCase {
  name: string;
  /** As the other tenant would ask. */
  foreign: { path: string; body?: unknown };
  /** The same of things that nobody has; undefined where the request names nothing. */
  unknown?: { path: string; body?: unknown };
}

/** Each sample as it is, and once more for each field that it could have named something in. */
export function foreignCases(samples: readonly SampleRequest[], ids: ForeignIds): ForeignCase[] {
  return samples.flatMap((sample) => {
    const name = `${sample.route.method} ${sample.route.path}`;
    const { path, body } = sample;
    const variants = [
      { name, path, body },
      ...fieldsOf(sample.route, 'body').flatMap((field) => {
        const named = valueFor(field, ids);
        return named === null
          ? []
          : [{ name: `${name} ${field.name}`, path, body: { ...Object(body), [field.name]: named } }];
      }),
      ...fieldsOf(sample.route, 'query').flatMap((field) => {
        const named = valueFor(field, ids);
        const separator = path.includes('?') ? '&' : '?';
        return named === null
          ? []
          : [{ name: `${name}?${field.name}`, path: `${path}${separator}${field.name}=${[named].flat()[0]}`, body }];
      }),
    ];
    return variants.map((variant) => toCase(variant, sample.route, ids));
  });
}

interface Field {
  name: string;
  isList: boolean;
}

function valueFor({ name, isList }: Field, ids: ForeignIds): string | string[] | null {
  const kind = kindOfField(name);
  if (kind === null) return null;
  return isList ? [ids[kind]] : ids[kind];
}

function fieldsOf(route: RouteContract, part: 'body' | 'query'): Field[] {
  const schema = route[part];
  if (!schema) return [];
  return fieldsOfSchema(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
}

interface ObjectSchema {
  properties?: Record<string, { type?: string }>;
  /** A schema with a name of its own stands among the definitions. */
  $ref?: string;
  $defs?: Record<string, ObjectSchema>;
}

export function fieldsOfSchema(schema: object): Field[] {
  const { $ref, $defs, ...itself } = schema as ObjectSchema;
  const { properties = {} } = ($ref === undefined ? itself : $defs?.[$ref.replace('#/$defs/', '')]) ?? {};
  return Object.entries(properties)
    .filter(([name]) => namesSomething(name))
    .map(([name, { type }]) => ({ name, isList: type === 'array' }));
}

function toCase(
  { name, path, body }: { name: string; path: string; body?: unknown },
  route: RouteContract,
  ids: ForeignIds,
): ForeignCase {
  const template = route.path.split('/');
  const inPath = path.split(/[/?]/).filter((_segment, index) => template[index]?.startsWith(':'));
  const named = new Set<string>([...inPath, ...Object.values(ids), ...idsIn(body)]);
  const foreign = { path, ...(body === undefined ? {} : { body }) };
  const text = JSON.stringify(foreign);
  const replaced = [...named]
    .filter((id) => id !== '')
    .reduce((rest, id) => rest.replaceAll(id, unknownLike(id)), text);
  if (replaced === text) return { name, foreign };
  return { name, foreign, unknown: JSON.parse(replaced) as ForeignCase['foreign'] };
}

/** In fields that name something, however deep. */
function idsIn(value: unknown, field = ''): string[] {
  if (typeof value === 'string') return namesSomething(field) && kindOfField(field) !== null ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((entry) => idsIn(entry, field));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, entry]) => idsIn(entry, name));
}

/** What two answers have to have in common: everything but ids, times and how long it took. */
export function comparable(text: string): string {
  return (
    text
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      // In JSON, and in the lines of a tool's text.
      .replaceAll(/\b(latencyMs|tookMs|latency_ms|wall_time_ms|ms|ageHours)("?): ?[\d.]+/g, '$1$2:0')
  );
}
