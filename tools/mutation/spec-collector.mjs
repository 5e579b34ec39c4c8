import { format } from 'node:util';
import { expect } from 'expect';

/** Stands in for `@jest/globals`: keeps the tests, so that they can run again and again in one process. */
export const tests = [];
const path = [];

export function describe(name, define) {
  path.push(name);
  define();
  path.pop();
}

export function it(name, run) {
  tests.push({ id: String(tests.length), name: [...path, name].join(' › '), run });
}

/** Rows as jest takes them: an array's entries, or one value, are the arguments. */
const each = (declare) => (rows) => (name, run) => {
  for (const row of rows) {
    const values = Array.isArray(row) ? row : [row];
    declare(format(name.replaceAll('%p', '%j'), ...values).split('\n')[0], () => run(...values));
  }
};
describe.each = each(describe);
it.each = each(it);

export { expect };
