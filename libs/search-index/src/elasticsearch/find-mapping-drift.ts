import type { estypes } from '@elastic/elasticsearch';

type Mapping = estypes.MappingTypeMapping;

/**
 * In what a mapping differs from the one that an index would be made with now. The server adds its own defaults to
 * what it was given (`index_options`, for one), so only what we ask for is compared, and no field may be added.
 */
export function findMappingDrift(expected: Mapping, actual: Mapping): string[] {
  const { properties: wanted = {}, ...rest } = expected;
  const { properties: found = {}, ...top } = actual;
  const drift = differences(rest, top, '');
  for (const [name, property] of Object.entries(wanted)) {
    if (found[name]) drift.push(...differences(property, found[name], name));
    else drift.push(`${name} is missing`);
  }
  for (const name of Object.keys(found)) if (!wanted[name]) drift.push(`${name} is not known`);
  return drift;
}

function differences(expected: object, actual: object, path: string): string[] {
  return Object.entries(expected).flatMap(([key, wanted]: [string, unknown]) => {
    const found = (actual as Record<string, unknown>)[key];
    const place = path === '' ? key : `${path}.${key}`;
    if (isObject(wanted) && isObject(found)) return differences(wanted, found, place);
    // Numbers and booleans come back as they are, or as text.
    return String(found) === String(wanted) ? [] : [`${place} is ${String(found)} and should be ${String(wanted)}`];
  });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
