/** `trustState` ⇄ `trust_state`, as a type: every key of a value, however deep. */
export type SnakeCased<Value> = Value extends readonly unknown[]
  ? { [Index in keyof Value]: SnakeCased<Value[Index]> }
  : Value extends object
    ? { [Key in keyof Value as Key extends string ? SnakeCase<Key> : Key]: SnakeCased<Value[Key]> }
    : Value;

type SnakeCase<Key extends string> = Key extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${SnakeCase<Rest>}`
    : `_${Lowercase<First>}${SnakeCase<Rest>}`
  : Key;

/** A key that is no snake-case name: it could come in twice under two spellings, so it is refused. */
export class KeyError extends Error {
  override readonly name = 'KeyError';

  constructor(readonly path: string) {
    super(`${path} is not a known field`);
  }
}

const SNAKE_CASE = /^[a-z][a-z0-9]*(?:_[a-z][a-z0-9]*)*$/;

/** The keys of a value in snake case; values stay as they are. */
export function toSnakeKeys<Value>(value: Value): SnakeCased<Value> {
  return mapKeys(value, '', (key) => toSnake(key)) as SnakeCased<Value>;
}

/** The keys of parsed JSON in camel case. Throws KeyError for a key that isn't snake case. */
export function toCamelKeys(value: unknown): unknown {
  return mapKeys(value, '', (key, path) => {
    if (!SNAKE_CASE.test(key)) throw new KeyError(path);
    return key.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  });
}

function toSnake(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function mapKeys(value: unknown, path: string, rename: (key: string, path: string) => string): unknown {
  if (Array.isArray(value)) return value.map((entry, index) => mapKeys(entry, joinPath(path, String(index)), rename));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => {
      const place = joinPath(path, key);
      return [rename(key, place), mapKeys(entry, place, rename)];
    }),
  );
}

function joinPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
