/** Tells the compiler what a length tells a person. */
export function isNonEmpty<Value>(values: Value[]): values is [Value, ...Value[]] {
  return values.length > 0;
}
