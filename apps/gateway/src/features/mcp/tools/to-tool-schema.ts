import { z } from 'zod';

type JsonSchema = Record<string, unknown>;

/** JSON Schema of a tool's arguments or result: an object at the root, as MCP wants it. */
export interface ToolSchema {
  [key: string]: unknown;
  type: 'object';
  properties: Record<string, JsonSchema>;
  required: string[];
}

/**
 * The contract's schema as MCP clients can read it: everything inline, since many follow no `$ref`, and one flat object where
 * the contract is a union of objects. A union's field that only some of its forms have is optional; a field whose forms
 * differ may have any of them.
 */
export function toToolSchema(schema: z.ZodType, io: 'input' | 'output'): ToolSchema {
  const { $schema, $defs, ...root } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    reused: 'inline',
  }) as JsonSchema;
  const inlined = inline(root, ($defs ?? {}) as Record<string, JsonSchema>);
  const forms = (inlined['anyOf'] ?? [inlined]) as JsonSchema[];
  const objects = forms.filter(isObjectSchema);
  if (objects.length < forms.length) throw new Error('The schema of a tool must be an object, or a union of objects.');
  const [only] = objects;
  return objects.length === 1 && only ? only : mergeForms(objects);
}

function isObjectSchema(schema: JsonSchema): schema is ToolSchema {
  if (schema['type'] !== 'object') return false;
  schema['properties'] ??= {};
  schema['required'] ??= [];
  return true;
}

function mergeForms(forms: readonly ToolSchema[]): ToolSchema {
  const names = [...new Set(forms.flatMap(({ properties }) => Object.keys(properties)))];
  const properties = names.map((name) => {
    const distinct = new Map(
      forms.flatMap(({ properties: { [name]: form } }) => (form ? [[JSON.stringify(form), form]] : [])),
    );
    const [first, ...others] = distinct.values();
    return [name, others.length === 0 ? first : { anyOf: [first, ...others] }] as const;
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties) as ToolSchema['properties'],
    required: names.filter((name) => forms.every(({ required }) => required.includes(name))),
    additionalProperties: false,
  };
}

/** References replaced by what they name, and what a format says already left out. A recursive definition is any JSON. */
function inline(schema: JsonSchema, definitions: Record<string, JsonSchema>): JsonSchema {
  const { $ref, ...own } = schema;
  if (typeof $ref === 'string') {
    const definition = definitions[$ref.split('/').at(-1) ?? ''];
    if (!definition || JSON.stringify(definition).includes(`"${$ref}"`)) return own;
    return inline({ ...definition, ...own }, definitions);
  }
  const walk = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(walk);
    return isObject(part) ? inline(part, definitions) : part;
  };
  return Object.fromEntries(
    Object.entries(withoutNoise(own)).map(([keyword, part]) => {
      // Names of fields are no keywords, and values are no schemas.
      if (keyword === 'properties' && isObject(part)) return [keyword, mapValues(part, walk)];
      return [keyword, VALUES.has(keyword) ? part : walk(part)];
    }),
  );
}

const VALUES = new Set(['default', 'const', 'enum', 'required', 'examples']);

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapValues(object: JsonSchema, map: (value: unknown) => unknown): JsonSchema {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]));
}

function withoutNoise({ pattern, minimum, maximum, ...rest }: JsonSchema): JsonSchema {
  return {
    ...rest,
    ...(pattern === undefined || rest['format'] !== undefined ? {} : { pattern }),
    ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
  };
}
