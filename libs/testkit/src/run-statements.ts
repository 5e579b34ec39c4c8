import { Database } from '@candor/persistence';

export type Statement = [sql: string, ...parameters: unknown[]];

/** Runs the statements in one transaction as whoever the URL names: the owner of the tables may do what no service may. */
export async function runStatements(databaseUrl: string, statements: readonly Statement[]): Promise<void> {
  const database = new Database({
    url: databaseUrl,
    applicationName: 'candor-run-statements',
    poolSize: 1,
    unscoped: 'owner',
  });
  try {
    await database.transaction(async (transaction) => {
      for (const [sql, ...parameters] of statements) await transaction.query(sql, parameters);
    });
  } finally {
    await database.close();
  }
}
