import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

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

/** The same for resources that an extension defines; only those of the kinds named. */
export function makeExtensionSchemas(definitionsFolder, kinds, folder) {
  for (const file of readdirSync(definitionsFolder).filter((name) => name.endsWith('.yaml'))) {
    for (const document of parseAllDocuments(readFileSync(join(definitionsFolder, file), 'utf8'))) {
      const { kind, spec } = document.toJS() ?? {};
      if (kind !== 'CustomResourceDefinition' || !kinds.includes(spec.names.kind)) continue;
      for (const { name: version, schema } of spec.versions) {
        const suffix = `${spec.group.split('.')[0]}-${version}`;
        // The API server adds these to every resource.
        const { metadata: _, ...properties } = close(schema.openAPIV3Schema).properties;
        const whole = { type: 'object', additionalProperties: false, properties: { ...properties, metadata: {} } };
        writeFileSync(join(folder, `${spec.names.kind.toLowerCase()}-${suffix}.json`), JSON.stringify(whole));
      }
    }
  }
}

/** A misspelt field of an extension's resource would be dropped in silence: here it is an error. */
function close(schema) {
  if (Array.isArray(schema)) return schema.map(close);
  if (typeof schema !== 'object' || schema === null) return schema;
  const closed = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, close(value)]));
  if (closed['x-kubernetes-int-or-string']) return { anyOf: [{ type: 'string' }, { type: 'integer' }] };
  const isObject = typeof closed.properties === 'object' && closed.type === 'object';
  if (!isObject || closed['x-kubernetes-preserve-unknown-fields']) return closed;
  return { additionalProperties: false, ...closed };
}

/** What OpenAPI 2 says by `format` or leaves out. */
function tighten(schema) {
  if (schema.format === 'int-or-string') return { anyOf: [{ type: 'string' }, { type: 'integer' }] };
  if (schema.description?.startsWith('Quantity is a fixed-point')) return { type: ['string', 'number'] };
  if (!schema.properties) return schema;
  return { additionalProperties: false, ...schema };
}
