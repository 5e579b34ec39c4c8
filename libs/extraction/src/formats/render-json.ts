import { LosslessNumber } from 'lossless-json';
import { AppError } from '@candor/contracts';
import type { TextCollector } from './text-collector.js';

const MAX_DEPTH = 200;

/**
 * An object becomes a paragraph of `name: value` lines; the objects and lists in it follow as paragraphs that begin with
 * the path to them. So a passage of any part says what its values are.
 */
export function renderJson(value: unknown, into: TextCollector, path: readonly string[] = []): void {
  if (path.length > MAX_DEPTH) throw new AppError('EXTRACT.UNREADABLE', { message: 'The file is nested too deeply.' });
  if (isScalar(value)) return into.add(`${renderScalar(value)}\n\n`);
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value as object);
  const scalars = entries.filter(([, inner]) => isScalar(inner) || isShortList(inner));
  if (scalars.length > 0) {
    if (path.length > 0) into.add(`${path.join(' › ')}\n`);
    for (const [name, inner] of scalars)
      into.add(Array.isArray(value) ? `- ${renderInline(inner)}\n` : `${name}: ${renderInline(inner)}\n`);
    into.add('\n');
  }
  for (const [name, inner] of entries) {
    if (isScalar(inner) || isShortList(inner)) continue;
    renderJson(inner, into, [...path, typeof name === 'number' ? `${name + 1}` : name]);
  }
}

type Scalar = string | boolean | null | LosslessNumber;

function isScalar(value: unknown): value is Scalar {
  return value === null || typeof value !== 'object' || value instanceof LosslessNumber;
}

/** Of plain values, such as tags: reads best beside its name. */
function isShortList(value: unknown): value is Scalar[] {
  return Array.isArray(value) && value.length <= 50 && value.every(isScalar);
}

function renderInline(value: unknown): string {
  return Array.isArray(value) ? value.map((inner) => renderScalar(inner as Scalar)).join(', ') : renderScalar(value);
}

function renderScalar(value: unknown): string {
  return value instanceof LosslessNumber ? value.value : String(value);
}
