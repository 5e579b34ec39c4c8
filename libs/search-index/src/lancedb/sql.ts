/**
 * The one place where values become SQL text. In LanceDB's dialect (tried with 0.30) a quote is doubled, a
 * backslash is an ordinary character, and identifiers are written in backticks: double quotes would make a string.
 */
export function sqlString(value: string): string {
  // Arrow holds UTF-8: a lone surrogate was stored as U+FFFD and must be asked for as such.
  const stored = Buffer.from(value, 'utf8').toString('utf8');
  return `'${stored.replaceAll("'", "''")}'`;
}

export function sqlNumber(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError('Only finite numbers can be written as SQL.');
  return String(value);
}

/** Column names are ours; anything else is a mistake in this folder. */
export function sqlColumn(name: string): string {
  if (!/^[A-Za-z_]+$/.test(name)) throw new RangeError('Not a column name.');
  return `\`${name}\``;
}

/** `column IN (…)`; an empty list matches nothing. */
export function sqlIn(column: string, values: readonly string[]): string {
  return values.length === 0 ? 'false' : `${sqlColumn(column)} IN (${values.map(sqlString).join(', ')})`;
}

/** True when the list column shares a value with `values`. */
export function sqlHasAny(column: string, values: readonly string[]): string {
  if (values.length === 0) return 'false';
  return `array_has_any(${sqlColumn(column)}, make_array(${values.map(sqlString).join(', ')}))`;
}
