import { findJsonExcess } from '@candor/runtime';
import { invalidOutput } from './invalid-output.js';
import type { OutputBounds } from './output-bounds.js';

/** Why a model stopped that had more to say: what there is of its output may parse, and say that there is nothing. */
const BROKEN_OFF = new Map<unknown, string>([
  ['length', 'cut_off'],
  ['content_filter', 'content_filter'],
]);

/** The text the model wrote; one that is broken off, a refusal, an empty message, a body of another shape is SYNTHESIS.INVALID_OUTPUT. */
export function readContent(completion: unknown, { values }: OutputBounds): string {
  const choices = readField(completion, 'choices');
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const brokenOff = BROKEN_OFF.get(readField(choice, 'finish_reason'));
  if (brokenOff !== undefined) throw invalidOutput(brokenOff);
  const message = readField(choice, 'message');
  const refusal = readField(message, 'refusal');
  if (typeof refusal === 'string' && refusal !== '') throw invalidOutput('refusal');
  const content = readField(message, 'content');
  if (typeof content !== 'string' || content.trim() === '') throw invalidOutput('no_content');
  // The body was bounded, and in it this is one value.
  if (findJsonExcess(Buffer.from(content), values)) throw invalidOutput('too_large');
  return content;
}

function readField(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined;
}
