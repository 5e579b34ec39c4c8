import { createHash } from 'node:crypto';
import pg from 'pg';

/**
 * Marks a statement to be prepared once a connection: the server then parses and plans it only the first times. For
 * statements of the hot path whose text never varies, and with columns listed: a `SELECT *` breaks when a column is added.
 */
export const PREPARED = '/* prepared */ ';

const names = new Map<string, string>();

function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    // Postgres cuts names after 63 bytes; the text decides, so that two releases on one pooler don't meet.
    name = createHash('sha256').update(text).digest('hex').slice(0, 32);
    names.set(text, name);
  }
  return name;
}

type Query = (this: pg.Client, ...parameters: unknown[]) => unknown;
const query = Reflect.get(pg.Client.prototype, 'query') as Query;

/** The driver prepares what has a name, and TypeORM has no way to give one. */
export class PreparingClient extends pg.Client {
  constructor(...parameters: ConstructorParameters<typeof pg.Client>) {
    super(...parameters);
    // Between leaving the pool and TypeORM's own listener nobody listens: a server that goes away in that moment would
    // end the process. Whoever uses the connection next learns of it from its statement.
    this.on('error', () => undefined);
  }
}

PreparingClient.prototype.query = function queryPrepared(this: pg.Client, text: unknown, ...rest: unknown[]): unknown {
  if (typeof text !== 'string' || !text.startsWith(PREPARED)) return query.call(this, text, ...rest);
  const [values, ...others] = rest;
  return query.call(this, { name: nameOf(text), text, values }, ...others);
} as typeof pg.Client.prototype.query;
