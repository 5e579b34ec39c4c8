import type { ToolSchema } from './to-tool-schema.js';

/** Some clients send lists as JSON text. Such an argument becomes the list; all others stay as they are, to be checked. */
export function coerceArguments(args: unknown, { properties }: ToolSchema): unknown {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return args;
  return Object.fromEntries(
    Object.entries(args).map(([name, value]: [string, unknown]) => {
      const isList = Object.hasOwn(properties, name) && properties[name]?.['type'] === 'array';
      return [name, isList && typeof value === 'string' ? parseList(value) : value];
    }),
  );
}

function parseList(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : text;
  } catch {
    return text;
  }
}
