/**
 * The schema with an end to every string and list that has none: so small a model may go on until it is cut off. What fits
 * the result fits the schema.
 */
export function boundLengths(schema, { longestString = 80, mostItems = 1 } = {}) {
  if (schema.type === 'array') {
    const { items, maxItems = mostItems } = schema;
    return { ...schema, maxItems, items: boundLengths(items, { longestString, mostItems }) };
  }
  if (schema.type === 'string') return { ...schema, maxLength: schema.maxLength ?? longestString };
  if (schema.properties === undefined) return schema;
  const bounded = Object.entries(schema.properties).map(([name, property]) => [
    name,
    boundLengths(property, { longestString, mostItems }),
  ]);
  return { ...schema, properties: Object.fromEntries(bounded) };
}
