import pg from 'pg';
import type { DatabaseScope } from './database-scope.js';

/** What is used of the driver's own query class, the same as its cursors and streams use. */
interface WireConnection {
  bind(message: { statement: string; values: readonly string[] }): void;
  execute(message: object): void;
  stream: { cork?: () => void; uncork?: () => void };
}
interface WireQuery {
  name?: string | undefined;
  submit(connection: WireConnection): Error | null;
  handleCommandComplete(message: unknown, connection: WireConnection): void;
}
type QueryConfig = { text: string; values?: unknown; name?: string; queryMode: 'extended' };
type Callback = (error: Error | null, result?: unknown) => void;
const Query = Reflect.get(pg, 'Query') as unknown as new (config: QueryConfig, callback: Callback) => WireQuery;

/** Has no row to give: only its effects are wanted. Both last until the transaction ends. */
export const SCOPE_STATEMENT = {
  name: 'candor_scope',
  text: `SELECT WHERE set_config('candor.tenants', $1, true) IS NULL OR set_config('role', $2, true) IS NULL`,
};

/**
 * A statement that first becomes who it may be: role and tenants are bound in the same message as the statement, so they
 * cost no round trip, share its implicit transaction and end with it. What goes wrong in the first part keeps the second
 * from running, and nothing is left on the connection for whoever is next.
 */
export class ScopedQuery extends Query {
  private scoping = false;

  constructor(
    config: Omit<QueryConfig, 'queryMode'>,
    private readonly scopeParameters: readonly string[],
    /** Asked when it is this statement's turn: within a transaction, the scope of its start holds. */
    private readonly isInTransaction: () => boolean,
    callback: Callback,
  ) {
    super({ ...config, queryMode: 'extended' }, callback);
  }

  override submit(connection: WireConnection): Error | null {
    if (this.isInTransaction()) return super.submit(connection);
    this.scoping = true;
    connection.stream.cork?.();
    try {
      connection.bind({ statement: SCOPE_STATEMENT.name, values: this.scopeParameters });
      connection.execute({});
      return super.submit(connection);
    } finally {
      connection.stream.uncork?.();
    }
  }

  override handleCommandComplete(message: unknown, connection: WireConnection): void {
    if (this.scoping) this.scoping = false;
    else super.handleCommandComplete(message, connection);
  }
}

export function scopeValues(scope: DatabaseScope, rolePrefix: string): readonly string[] {
  return [scope.tenants, `${rolePrefix}_${scope.role}`];
}
