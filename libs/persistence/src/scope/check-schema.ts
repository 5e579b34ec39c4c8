import { AppError } from '@candor/contracts';
import type { QueryRunner } from 'typeorm';

/** A login that owns no tables can't bring the schema forward: somebody else does (docs/adr/0026). */
export async function mayMigrate(runner: QueryRunner): Promise<boolean> {
  const [row] = (await runner.query(
    `SELECT CASE WHEN to_regclass('migrations') IS NULL
         THEN coalesce(has_schema_privilege(current_user, current_schema(), 'CREATE'), false)
         ELSE (SELECT pg_has_role(current_user, c.relowner, 'USAGE') FROM pg_class c WHERE c.oid = to_regclass('migrations'))
       END AS may`,
  )) as { may: boolean }[];
  return row?.may === true;
}

/**
 * What such a login does instead.
 * @throws AppError DEPENDENCY.DATABASE_UNAVAILABLE while migrations are missing: whoever owns the tables has to run them
 * @throws AppError CONFIG.INVALID where the roles are not to be had, with what an administrator has to run
 */
export async function requireCurrentSchema(
  runner: QueryRunner,
  prefix: string,
  migrations: readonly string[],
): Promise<void> {
  const [state] = (await runner.query(
    `SELECT to_regclass('migrations') IS NOT NULL AS "isThere", r.oid IS NOT NULL AS "hasRole",
       coalesce(pg_has_role(current_user, r.oid, 'MEMBER'), false) AS "isMember"
     FROM (SELECT) one LEFT JOIN pg_roles r ON r.rolname = $1`,
    [`${prefix}_app`],
  )) as { isThere: boolean; hasRole: boolean; isMember: boolean }[];
  if (state?.isThere !== true) throw behind('it holds no tables yet');
  if (!state.isMember) throw noMember(prefix, state.hasRole);
  const applied = await readApplied(runner, `${prefix}_app`);
  const missing = migrations.filter((name) => !applied.has(name));
  if (missing.length > 0) throw behind(`${missing.length} migrations are missing`);
}

/** Empty where the release before didn't let anybody but the owner read it: something is missing then, too. */
async function readApplied(runner: QueryRunner, role: string): Promise<Set<string>> {
  await runner.startTransaction();
  try {
    await runner.query(`SELECT set_config('role', $1, true)`, [role]);
    const [{ may } = { may: false }] = (await runner.query(
      `SELECT has_table_privilege('migrations', 'SELECT') AS may`,
    )) as { may: boolean }[];
    if (!may) return new Set();
    const rows = (await runner.query('SELECT name FROM migrations')) as { name: string }[];
    return new Set(rows.map(({ name }) => name));
  } finally {
    await runner.rollbackTransaction();
  }
}

function behind(what: string): AppError {
  return new AppError('DEPENDENCY.DATABASE_UNAVAILABLE', {
    message: `The database is not at this release: ${what}, and the user of DATABASE_URL doesn't own its tables. The owner has to migrate it.`,
    retryAfterSeconds: 2,
  });
}

function noMember(prefix: string, hasRole: boolean): AppError {
  const create = hasRole ? '' : `CREATE ROLE ${prefix}_app NOLOGIN; CREATE ROLE ${prefix}_system NOLOGIN; `;
  return new AppError('CONFIG.INVALID', {
    message: `The user of DATABASE_URL may not become the roles that statements run as. Have run once on the server: ${create}GRANT ${prefix}_app, ${prefix}_system TO <user>;`,
  });
}
