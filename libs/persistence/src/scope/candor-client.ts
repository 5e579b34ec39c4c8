import pg from 'pg';
import { preparedNameOf } from '../prepared-statements.js';
import { activeScope, NOTHING } from './database-scope.js';
import { SCOPE_STATEMENT, ScopedQuery, scopeValues } from './scoped-query.js';

type Query = (this: pg.Client, ...parameters: unknown[]) => unknown;
const query = Reflect.get(pg.Client.prototype, 'query') as Query;

export interface CandorClientOptions {
  /** Of the roles that statements run as; absent = as whoever connects. */
  rolePrefix?: string;
  /** In a migration: of the roles that it names, as `candor.role_prefix`. */
  migratesFor?: string;
}

/** Prepares what is marked, which TypeORM has no way to ask for, and runs every statement in the active scope. */
export class CandorClient extends pg.Client {
  private readonly rolePrefix: string | undefined;
  private migratesFor: string | undefined;
  private knowsScopes = false;
  private readonly isInTransaction = (): boolean => this.getTransactionStatus() !== 'I';

  constructor(options: pg.ClientConfig & CandorClientOptions = {}) {
    super(options);
    this.rolePrefix = options.rolePrefix;
    this.migratesFor = options.migratesFor;
    // Between leaving the pool and TypeORM's own listener nobody listens: a server that goes away in that moment would
    // end the process. Whoever uses the connection next learns of it from its statement.
    this.on('error', () => undefined);
  }

  /** What `query` does with a text. */
  run(text: string, values: unknown): unknown {
    this.nameRoles();
    const name = preparedNameOf(text);
    if (this.rolePrefix === undefined || !this.isScoped())
      return name === undefined ? query.call(this, text, values) : query.call(this, { name, text, values });
    this.prepareScopes();
    const scoping = scopeValues(activeScope() ?? NOTHING, this.rolePrefix);
    return new Promise((resolve, reject) => {
      const settle = (error: Error | null, result?: unknown): void => (error ? reject(error) : resolve(result));
      const config = name === undefined ? { text, values } : { name, text, values };
      query.call(this, new ScopedQuery(config, scoping, this.isInTransaction, settle));
    });
  }

  /** Whether statements run as one of the roles. */
  isScoped(): boolean {
    return this.rolePrefix !== undefined && (activeScope() ?? NOTHING).role !== 'owner';
  }

  /** For the session, and not with its start: a URL or a pooler may have options of its own. */
  private nameRoles(): void {
    const prefix = this.migratesFor;
    if (prefix === undefined) return;
    this.migratesFor = undefined;
    const text = `SELECT set_config('candor.role_prefix', $1, false)`;
    (query.call(this, { text, values: [prefix] }) as Promise<unknown>).catch(() => undefined);
  }

  /** Once a connection. Where it fails, everything fails that is bound to it. */
  private prepareScopes(): void {
    if (this.knowsScopes) return;
    this.knowsScopes = true;
    (query.call(this, { ...SCOPE_STATEMENT, values: ['{}', 'none'] }) as Promise<unknown>).catch(() => undefined);
  }
}

// As a value and not as a method: the driver's own has a signature for each of the many ways to call it.
CandorClient.prototype.query = function queryScoped(this: CandorClient, text: unknown, ...rest: unknown[]): unknown {
  if (typeof text === 'string') return this.run(text, rest[0]);
  if (this.isScoped()) throw new Error('A statement is a text: in any other form it would run as whoever connected.');
  return query.call(this, text, ...rest);
} as typeof pg.Client.prototype.query;
