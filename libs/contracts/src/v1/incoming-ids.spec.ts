import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { ROUTES } from './routes.js';

const IN_CAPITALS = 'B3F6C1DE-0D5A-4A43-8A2F-6F2F0F2B1A90';
type Schema = z.core.$ZodType;

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && '_zod' in value;
}

/** What a schema is made of, by where it stands: fields, entries, forms of a union, what an optional one holds. */
function partsOf(schema: Schema): [place: string, part: Schema][] {
  const walk = (value: unknown, place: string): [string, Schema][] => {
    if (isSchema(value)) return [[place, value]];
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([name, entry]) =>
      walk(entry, Array.isArray(value) ? place : `${place}.${name}`),
    );
  };
  const { shape, ...rest } = schema._zod.def as unknown as { shape?: object } & Record<string, unknown>;
  return [...walk(shape, ''), ...Object.values(rest).flatMap((value) => walk(value, ''))];
}

function uuidsIn(schema: Schema, place: string, within: readonly Schema[] = []): [place: string, schema: Schema][] {
  if (within.includes(schema)) return [];
  const { format } = schema._zod.def as { format?: string };
  if (format === 'uuid' || format === 'guid') return [[place, schema]];
  return partsOf(schema).flatMap(([name, part]) => uuidsIn(part, place + name, [...within, schema]));
}

function uuidsOf({ method, path, params, query, body }: (typeof ROUTES)[number]): [place: string, schema: Schema][] {
  return Object.entries({ params, query, body }).flatMap(([part, schema]) =>
    schema ? uuidsIn(schema, `${method} ${path} ${part}`) : [],
  );
}

describe('ids that come in', () => {
  const found = ROUTES.flatMap(uuidsOf);

  it('are found wherever they stand in a request', () => {
    expect(found.map(([place]) => place)).toEqual(
      expect.arrayContaining([
        'GET /v1/documents/:id params.id',
        'GET /v1/sync-runs query.sourceId',
        'POST /v1/collections/:id/items body.itemIds',
        'POST /v1/erasures body.apiKeyIds',
        'POST /v1/ingest body.documents.connectorId',
        'POST /v1/reasoning body.tenant_id',
      ]),
    );
  });

  it('are in lower case, as they are stored and compared, however a client writes them', () => {
    const kept = found.filter(([, schema]) => (schema as z.ZodType).parse(IN_CAPITALS) !== IN_CAPITALS.toLowerCase());
    expect(kept.map(([place]) => place)).toEqual([]);
  });
});
