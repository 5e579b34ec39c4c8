import type { ApiResponse } from '@candor/testkit';
import type { SampleRequest } from '../operation/sample-requests.js';

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** Every id in capitals; an `externalId` is of the caller's own system and stays as it is. */
export function inCapitals<Value>(value: Value): Value {
  const write = (part: unknown, field: string): unknown => {
    if (typeof part === 'string')
      return field === 'externalId' ? part : part.replaceAll(UUID, (id) => id.toUpperCase());
    if (Array.isArray(part)) return part.map((entry) => write(entry, field));
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, entry]) => [name, write(entry, name)]));
  };
  return write(value, '') as Value;
}

/** What is asked for; `externalId`s apart. */
export function namesIds({ path, body }: Pick<SampleRequest, 'path' | 'body'>): boolean {
  return path !== inCapitals(path) || JSON.stringify(body) !== JSON.stringify(inCapitals(body));
}

export function capitalIdsIn(text: string): string[] {
  return (text.match(UUID) ?? []).filter((id) => id !== id.toLowerCase());
}

/** The ids that an answer names, however they are written, but for that of the request itself. */
export function idsNamedBy({ text, requestId }: Pick<ApiResponse, 'text' | 'requestId'>): string[] {
  const named = new Set((text.match(UUID) ?? []).map((id) => id.toLowerCase()));
  named.delete(requestId);
  return [...named].sort();
}
