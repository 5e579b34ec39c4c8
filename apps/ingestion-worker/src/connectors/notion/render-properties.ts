import { asList, asText, isObject, type NotionObject } from './notion-object.js';
import { readPlainText, renderRichText } from './render-rich-text.js';

/** What ids in properties stand for; null = unknown. */
export interface NotionNames {
  user(id: string): string | null;
  page(id: string): string | null;
}

const UNTITLED = 'Untitled';

export function readTitle(entry: NotionObject): string {
  const properties = isObject(entry['properties']) ? Object.values(entry['properties']).filter(isObject) : [];
  const title = properties.find(({ type }) => type === 'title')?.['title'];
  const words = Array.isArray(entry['title']) ? entry['title'] : title;
  return readPlainText(words).replaceAll(/\s+/g, ' ').trim().slice(0, 1000) || UNTITLED;
}

/** What a page calls its own standing: its first property of the type for that, else a choice that is named so; null = none. */
export function readStatus(properties: NotionObject): string | null {
  const named = Object.entries(properties).flatMap(([name, property]): [string, NotionObject][] =>
    isObject(property) ? [[name, property]] : [],
  );
  const found =
    named.find(([, { type }]) => type === 'status') ??
    named.find(([name, { type }]) => type === 'select' && name.trim().toLowerCase() === 'status');
  const value = found?.[1][asText(found[1]['type'])];
  return (isObject(value) ? asText(value['name']).trim() : '') || null;
}

/** A row's values, a list entry each; the title and what is empty are left out. */
export function renderProperties(properties: NotionObject, names: NotionNames): string {
  return Object.entries(properties)
    .flatMap(([name, property]) => {
      if (!isObject(property) || property['type'] === 'title') return [];
      const value = renderValue(property, names)
        .replaceAll(/\s*\n\s*/g, ' ')
        .trim();
      return value === '' ? [] : [`- ${name}: ${value}`];
    })
    .join('\n');
}

/** A database's columns with their choices. */
export function renderSchema(properties: NotionObject): string {
  return Object.entries(properties)
    .flatMap(([name, property]) => {
      if (!isObject(property)) return [];
      const type = asText(property['type']);
      const choices = isObject(property[type]) ? asList(property[type]['options']).map(({ name }) => asText(name)) : [];
      return [`- ${name} (${type}${choices.length > 0 ? `: ${choices.join(', ')}` : ''})`];
    })
    .join('\n');
}

function renderValue(property: NotionObject, names: NotionNames): string {
  const type = asText(property['type']);
  const value = property[type];
  switch (type) {
    case 'rich_text':
    case 'title':
      return renderRichText(value);
    case 'select':
    case 'status':
      return isObject(value) ? asText(value['name']) : '';
    case 'multi_select':
      return joinNames(asList(value).map(({ name }) => asText(name)));
    case 'date':
      return renderDate(value);
    case 'people':
      return joinNames(asList(value).map((user) => nameUser(user, names)));
    case 'created_by':
    case 'last_edited_by':
      return isObject(value) ? nameUser(value, names) : '';
    case 'files':
      return joinNames(asList(value).map((file) => asText(file['name'])));
    case 'relation':
      return joinNames(asList(value).map(({ id }) => names.page(asText(id)) ?? asText(id)));
    case 'formula':
      return isObject(value) ? renderValue(value, names) : '';
    case 'rollup':
      return renderRollup(value, names);
    case 'unique_id':
      return isObject(value) ? [value['prefix'], value['number']].filter(isScalar).join('-') : '';
    case 'verification':
      return isObject(value) ? asText(value['state']) : '';
    case 'checkbox':
    case 'boolean':
      return value === true ? 'yes' : value === false ? 'no' : '';
    default:
      return isScalar(value) ? String(value) : '';
  }
}

function renderRollup(value: unknown, names: NotionNames): string {
  if (!isObject(value)) return '';
  if (value['type'] === 'array') return joinNames(asList(value['array']).map((entry) => renderValue(entry, names)));
  return renderValue(value, names);
}

function renderDate(value: unknown): string {
  if (!isObject(value)) return '';
  const { start, end } = value;
  return typeof end === 'string' ? `${asText(start)} to ${end}` : asText(start);
}

function nameUser(user: NotionObject, names: NotionNames): string {
  return asText(user['name']) || (names.user(asText(user['id'])) ?? asText(user['id']));
}

function joinNames(names: string[]): string {
  return names.filter((name) => name !== '').join(', ');
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
