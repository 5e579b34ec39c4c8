import { createHash } from 'node:crypto';

/**
 * Marks a statement to be prepared once a connection: the server then parses and plans it only the first times. For
 * statements of the hot path whose text never varies, and with columns listed: a `SELECT *` breaks when a column is added.
 */
export const PREPARED = '/* prepared */ ';

const names = new Map<string, string>();

/** Undefined for what is not marked. The driver prepares what has a name. */
export function preparedNameOf(text: string): string | undefined {
  if (!text.startsWith(PREPARED)) return undefined;
  let name = names.get(text);
  if (name === undefined) {
    // Postgres cuts names after 63 bytes; the text decides, so that two releases on one pooler don't meet.
    name = createHash('sha256').update(text).digest('hex').slice(0, 32);
    names.set(text, name);
  }
  return name;
}
