import { formatPath, type FieldIssue } from '../issues/describe-issues.js';

/** Nesting allowed in a body; schemas and JSON columns further in are walked recursively. */
export const DEEPEST = 100;

interface Visit {
  value: unknown;
  parent: Visit | undefined;
  /** Name or index within the parent. */
  name: string | number;
  depth: number;
}

/**
 * The first value no store downstream can hold: NUL (Postgres text), half a surrogate pair (no UTF-8), names that
 * reach an object's prototype, or nesting beyond 100 levels. Looks at values and names alike, without recursion.
 */
export function findUnsafeValue(root: unknown, rootName: string): FieldIssue | undefined {
  const pending: Visit[] = [{ value: root, parent: undefined, name: '', depth: 0 }];
  for (let visit = pending.pop(); visit; visit = pending.pop()) {
    const { value, depth } = visit;
    if (typeof value === 'string') {
      const rule = brokenTextRule(value);
      if (rule) return { field: fieldOf(visit, rootName), rule };
      continue;
    }
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= DEEPEST) return { field: rootName, rule: `must not be nested deeper than ${DEEPEST} levels` };
    const children: Visit[] = [];
    if (Array.isArray(value)) {
      value.forEach((entry: unknown, index) =>
        children.push({ value: entry, parent: visit, name: index, depth: depth + 1 }),
      );
    } else {
      for (const [name, entry] of Object.entries(value)) {
        const child: Visit = { value: entry, parent: visit, name, depth: depth + 1 };
        const rule = name === '__proto__' ? 'is not an accepted field name' : brokenTextRule(name);
        if (rule) return { field: fieldOf(child, rootName), rule };
        children.push(child);
      }
    }
    // Last in, first out: reversed, so that the first broken value of the document is the one that is named.
    while (children.length > 0) pending.push(children.pop() as Visit);
  }
  return undefined;
}

function brokenTextRule(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain NUL characters';
  if (!isWellFormed(text)) return 'must be well-formed Unicode';
  return undefined;
}

/** In every supported Node, not yet in the TypeScript library this house compiles against. */
function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

function fieldOf(visit: Visit, rootName: string): string {
  const path: (string | number)[] = [];
  for (let current: Visit | undefined = visit; current.parent; current = current.parent) path.unshift(current.name);
  return formatPath(path, rootName);
}
