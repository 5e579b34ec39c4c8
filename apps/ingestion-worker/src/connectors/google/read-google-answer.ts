import { AppError } from '@candor/contracts';
import type { z } from 'zod';
import { unreadable } from '../item-errors.js';
import { toGoogleError } from './google-errors.js';

/** Who answered, as the message for people names it. */
export type GoogleService = 'Gmail' | 'Google';

/** The data of an answer. Errors: `CONNECTOR.*`; `CONNECTOR.UNAVAILABLE` for one that is no JSON. */
export async function askGoogle<Data>(service: GoogleService, request: () => Promise<{ data: Data }>): Promise<Data> {
  let data: Data;
  try {
    ({ data } = await request());
  } catch (error) {
    throw toGoogleError(error);
  }
  // The client hands over as text what isn't JSON.
  if (typeof data !== 'object' || data === null) throw undocumented(service);
  return data;
}

export function parseAnswer<Value>(service: GoogleService, schema: z.ZodType<Value>, value: unknown): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw undocumented(service, parsed.error);
}

/** Of an answer about one item: what isn't as documented is that item's failure, as asking again won't change it. */
export function parseItem<Value>(service: GoogleService, schema: z.ZodType<Value>, value: unknown): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw unreadable(`${service} gave an entry that is not as documented.`, 'malformed', parsed.error);
}

export function undocumented(service: GoogleService, cause?: unknown): AppError {
  return new AppError('CONNECTOR.UNAVAILABLE', {
    message: `${service} gave an answer that is not as documented.`,
    cause,
  });
}
