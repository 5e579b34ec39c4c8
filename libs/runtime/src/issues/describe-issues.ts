import type { z } from 'zod';

/** One broken rule; holds no value, so it may be shown and logged. */
export interface FieldIssue {
  /** e.g. `documents[3].body`. */
  field: string;
  /** Reads after the field: `must be a string`. */
  rule: string;
}

export const UNKNOWN_FIELD_RULE = 'is not a known field';
const LONGEST_FIELD = 200;

type Issue = z.core.$ZodIssue;

/**
 * zod's issues as field and rule, unknown fields first: a misspelt name is the likelier cause than the field that is missing for it.
 * Parse with `reportInput: true`, else a missing field reads as one of a wrong type.
 */
export function describeIssues(issues: readonly Issue[], root: string): FieldIssue[] {
  const described = issues.flatMap((issue) => describeIssue(issue, []));
  const located = described.map(({ path, rule }) => ({ field: formatPath(path, root), rule }));
  return [
    ...located.filter(({ rule }) => rule === UNKNOWN_FIELD_RULE),
    ...located.filter(({ rule }) => rule !== UNKNOWN_FIELD_RULE),
  ];
}

/** `['documents', 3, 'body']` → `documents[3].body`; the empty path is the root's own name. */
export function formatPath(path: readonly PropertyKey[], root: string): string {
  const text = path.reduce<string>((field, part) => {
    if (typeof part === 'number') return `${field || root}[${part}]`;
    return field ? `${field}.${String(part)}` : String(part);
  }, '');
  const shown = makePrintable(text || root);
  return shown.length > LONGEST_FIELD ? `${shown.slice(0, LONGEST_FIELD)}…` : shown;
}

/** A field's name comes from the caller: control characters and broken Unicode are not echoed. */
function makePrintable(text: string): string {
  return text.slice(0, LONGEST_FIELD + 1).replace(/[\p{Cc}\p{Cs}]/gu, '\u{FFFD}');
}

interface LocatedRule {
  path: PropertyKey[];
  rule: string;
}

function describeIssue(issue: Issue, parent: readonly PropertyKey[]): LocatedRule[] {
  const path = [...parent, ...issue.path];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ path: [...path, key], rule: UNKNOWN_FIELD_RULE }));
    case 'invalid_union': {
      const closest = closestBranch(issue.errors);
      if (closest) return closest.flatMap((nested) => describeIssue(nested, path));
      return [{ path, rule: ruleOf(issue) }];
    }
    case 'invalid_key':
      return issue.issues
        .flatMap((nested) => describeIssue(nested, path))
        .map(({ rule }) => ({ path, rule: `has a name that ${rule}` }));
    case 'invalid_element':
      return issue.issues.flatMap((nested) => describeIssue(nested, path));
    default:
      return [{ path, rule: ruleOf(issue) }];
  }
}

/** The branch the caller most likely meant: one that got past the type of the value itself, with the fewest issues. */
function closestBranch(branches: readonly Issue[][]): Issue[] | undefined {
  const entered = branches.filter(
    (branch) => !branch.some((issue) => issue.path.length === 0 && issue.code === 'invalid_type'),
  );
  return entered.toSorted((left, right) => left.length - right.length)[0];
}

/** A contract's own words win; zod's defaults are said in ours. */
function ruleOf(issue: Issue): string {
  if (!/^(Invalid|Too (small|big)|Unrecognized)/.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required';
      return `must be ${withArticle(TYPE_NAMES[issue.expected] ?? issue.expected)}`;
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : `must be one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_union':
      return issue.input === undefined ? 'is required' : 'has none of the accepted forms';
    case 'too_small':
      return bound(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum);
    case 'too_big':
      return bound(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum);
    case 'invalid_format':
      return `must be a valid ${FORMAT_NAMES[issue.format] ?? issue.format}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    default:
      return 'is not valid';
  }
}

/** zod's names of types where JSON has another. */
const TYPE_NAMES: Record<string, string> = { int: 'integer', record: 'object' };

const FORMAT_NAMES: Record<string, string> = {
  datetime: 'ISO 8601 timestamp',
  date: 'ISO 8601 date',
  uuid: 'UUID',
  url: 'URL',
  email: 'e-mail address',
  regex: 'value of the required form',
};

function withArticle(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function bound(origin: string, comparison: string, limit: number | bigint): string {
  if (origin === 'string') return `must have ${comparison} ${limit} character${limit === 1 ? '' : 's'}`;
  if (origin === 'array' || origin === 'set') return `must have ${comparison} ${limit} item${limit === 1 ? '' : 's'}`;
  return `must be ${comparison} ${limit}`;
}
