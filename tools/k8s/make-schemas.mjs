import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes the API's description as JSON schemas where kubeconform finds them (`-schema-location`): one file a kind,
 * all referring to `_definitions.json`. Strict: a misspelt field is an error, as `kubectl apply` would make it.
 */
export function makeSchemas(swaggerFile, folder) {
  const { definitions } = JSON.parse(readFileSync(swaggerFile, 'utf8'));
  mkdirSync(folder, { recursive: true });
  for (const [name, definition] of Object.entries(definitions)) {
    definitions[name] = tighten(definition);
    for (const { group, version, kind } of definition['x-kubernetes-group-version-kind'] ?? []) {
      const suffix = [group.split('.')[0], version].filter(Boolean).join('-');
      const schema = { $ref: `_definitions.json#/definitions/${name}` };
      writeFileSync(join(folder, `${kind.toLowerCase()}-${suffix}.json`), JSON.stringify(schema));
    }
  }
  const text = JSON.stringify({ definitions }).replaceAll('"#/definitions/', '"_definitions.json#/definitions/');
  writeFileSync(join(folder, '_definitions.json'), text);
}

/** What OpenAPI 2 says by `format` or leaves out. */
function tighten(schema) {
  if (schema.format === 'int-or-string') return { anyOf: [{ type: 'string' }, { type: 'integer' }] };
  if (schema.description?.startsWith('Quantity is a fixed-point')) return { type: ['string', 'number'] };
  if (!schema.properties) return schema;
  return { additionalProperties: false, ...schema };
}
