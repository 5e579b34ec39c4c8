import satisfies from 'spdx-satisfies';
import { isOwn } from './run-npm.mjs';

/**
 * What of a CycloneDX bill of materials may not be shipped: a licence that the policy doesn't allow, or none that is told.
 * Of a choice (`MIT OR GPL-3.0-or-later`) one allowed licence is enough. Also names exceptions that nothing needs any more.
 *
 * @returns {string[]} one line each
 */
export function judgeLicences(bill, { allowed, known }) {
  const problems = [];
  const exceptions = new Map(known.map((entry) => [entry.package, entry.licence]));
  const unused = new Set(exceptions.keys());
  for (const { name, version, licenses } of bill.components.filter((component) => !isOwn(component))) {
    const told = licenses?.map(({ license, expression }) => expression ?? license?.id).find(Boolean);
    if (!told) unused.delete(name);
    const licence = told ?? exceptions.get(name);
    if (licence === undefined) problems.push(`${name}@${version} tells no licence`);
    else if (!isAllowed(licence, allowed)) problems.push(`${name}@${version} has the licence ${licence}`);
  }
  for (const name of unused) problems.push(`${name} is an exception that is not needed`);
  return problems;
}

function isAllowed(expression, allowed) {
  try {
    return satisfies(expression, allowed);
  } catch {
    // Not an SPDX expression: nobody can say what it means.
    return false;
  }
}
