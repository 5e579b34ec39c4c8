import { z } from 'zod';

/** Objects as they come; every reader looks before it takes. */
export type NotionObject = Record<string, unknown>;

export function isObject(value: unknown): value is NotionObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asList(value: unknown): NotionObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function isTrashed(entry: NotionObject): boolean {
  return entry['in_trash'] === true || entry['archived'] === true || entry['is_archived'] === true;
}

const person = z.looseObject({ id: z.string() }).nullish();
/** A page or data source, as search gives it. */
export const notionEntrySchema = z.looseObject({
  object: z.enum(['page', 'data_source', 'database']),
  id: z.string().min(1),
  created_time: z.iso.datetime(),
  last_edited_time: z.iso.datetime(),
  created_by: person,
  last_edited_by: person,
  url: z.string().nullish(),
  in_trash: z.boolean().nullish(),
  archived: z.boolean().nullish(),
  parent: z.looseObject({ type: z.string().nullish() }).nullish(),
  properties: z.record(z.string(), z.unknown()).default({}),
});
export type NotionEntry = z.infer<typeof notionEntrySchema>;
