import type { estypes } from '@elastic/elasticsearch';

/** `index.max_terms_count`, unless somebody changes it: a longer list is refused. */
const MAX_TERMS = 65_536;

/** The field has one of the values, however many there are: several lists count as one condition. */
export function anyOf(field: string, values: readonly string[]): estypes.QueryDslQueryContainer {
  if (values.length <= MAX_TERMS) return { terms: { [field]: [...values] } };
  const lists: string[][] = [];
  for (let start = 0; start < values.length; start += MAX_TERMS) lists.push(values.slice(start, start + MAX_TERMS));
  return { bool: { should: lists.map((list) => ({ terms: { [field]: list } })), minimum_should_match: 1 } };
}
