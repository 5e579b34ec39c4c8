import { AppError } from '@candor/contracts';
import { reasoningResponseSchema, type ReasoningResponse } from '../run/reasoning-response.js';
import { KeyError, toCamelKeys, toSnakeKeys, type SnakeCased } from './convert-keys.js';
import { findInconsistencies } from './find-inconsistencies.js';

/** A response as JSON: snake case, every field present, null or `[]` where it doesn't apply. */
export type ReasoningResponseJson = SnakeCased<ReasoningResponse>;

/** Throws REQUEST.INVALID, as `reasoningResponseFromJson` does, for a value that isn't a consistent response. */
export function reasoningResponseToJson(response: ReasoningResponse): ReasoningResponseJson {
  return toSnakeKeys(checkResponse(response));
}

/**
 * The response back from JSON, as a value or as text. Throws REQUEST.INVALID naming the field for an unknown or missing key,
 * a number that is not finite or stands in a string, and parts that contradict each other: above all a trust state
 * that is missing in the evidence or another one there.
 */
export function reasoningResponseFromJson(json: unknown): ReasoningResponse {
  try {
    const value: unknown = typeof json === 'string' ? JSON.parse(json) : json;
    return checkResponse(toCamelKeys(value));
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof KeyError) throw refuse(error.path, 'is not a known field');
    throw refuse('', 'is not JSON');
  }
}

function checkResponse(value: unknown): ReasoningResponse {
  const parsed = reasoningResponseSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refuse(issue?.path.map(String).join('.') ?? '', issue?.code ?? 'is invalid');
  }
  const [inconsistent] = findInconsistencies(parsed.data);
  if (inconsistent !== undefined) throw refuse(inconsistent, 'contradicts another part of the response');
  return parsed.data;
}

function refuse(field: string, rule: string): AppError {
  return new AppError('REQUEST.INVALID', { details: { field, rule } });
}
