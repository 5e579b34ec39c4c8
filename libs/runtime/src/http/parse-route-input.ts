import { AppError, type BodyOf, type ParamsOf, type QueryOf } from '@candor/contracts';
import type { z } from 'zod';
import { describeIssues, UNKNOWN_FIELD_RULE, type FieldIssue } from '../issues/describe-issues.js';
import type { AnyRoute } from './contract.decorator.js';
import { findUnsafeValue } from './find-unsafe-value.js';

/** What a handler gets: each part as its schema gives it; a part without a schema is undefined. */
export interface InputOf<Route> {
  body: BodyOf<Route>;
  query: QueryOf<Route>;
  params: ParamsOf<Route>;
}

export interface RawInput {
  /** undefined = no body was sent. */
  body: unknown;
  query: Readonly<Record<string, unknown>>;
  params: Readonly<Record<string, unknown>>;
}

const MOST_ISSUES = 20;

/**
 * The route's input, checked.
 * @throws AppError REQUEST.INVALID: the message names the first field, `details` is `{field, rule, issues: [{field, rule}]}`
 *   with at most 20 issues. No value is repeated.
 */
export function parseRouteInput(route: AnyRoute, raw: RawInput): InputOf<AnyRoute> {
  const unsafe =
    findUnsafeValue(raw.params, 'params') ?? findUnsafeValue(raw.query, 'query') ?? findUnsafeValue(raw.body, 'body');
  if (unsafe) throw invalidInput([unsafe]);

  const issues: FieldIssue[] = [];
  const take = (schema: z.ZodType | undefined, value: unknown, root: string): unknown => {
    if (!schema) return undefined;
    const parsed = schema.safeParse(value, { reportInput: true });
    if (parsed.success) return parsed.data;
    issues.push(...describeIssues(parsed.error.issues, root));
    return undefined;
  };

  const params = take(route.params, raw.params, 'params');
  issues.push(...findRepeatedParameters(raw.query));
  if (!route.query) issues.push(...Object.keys(raw.query).map((field) => ({ field, rule: UNKNOWN_FIELD_RULE })));
  const query = issues.length > 0 ? undefined : take(route.query, raw.query, 'query');
  if (!route.body && !isEmpty(raw.body))
    issues.push({ field: 'body', rule: 'must be absent: this endpoint takes none' });
  const body = take(route.body, raw.body, 'body');

  if (issues.length > 0) throw invalidInput(issues);
  return { body, query, params };
}

function findRepeatedParameters(query: Readonly<Record<string, unknown>>): FieldIssue[] {
  return Object.entries(query)
    .filter(([, value]) => typeof value !== 'string')
    .map(([field]) => ({ field, rule: 'must be given once' }));
}

function isEmpty(body: unknown): boolean {
  return (
    body === undefined ||
    (typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length === 0)
  );
}

/** REQUEST.INVALID that names the first of these, and shows at most 20. */
export function invalidInput(issues: readonly FieldIssue[]): AppError {
  const shown = issues.slice(0, MOST_ISSUES);
  const { field, rule } = shown[0] ?? { field: 'body', rule: 'is not valid' };
  const message = rule === UNKNOWN_FIELD_RULE ? `unknown field "${field}"` : `${field} ${rule}`;
  return new AppError('REQUEST.INVALID', { message, details: { field, rule, issues: shown } });
}
