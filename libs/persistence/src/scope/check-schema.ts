import { AppError } from '@candor/contracts';
import type { QueryRunner } from 'typeorm';

/**
 * A login that owns no tables can't bring the schema forward: somebody else does (docs/adr/0026). Before there are any, the
 * owner of the schema or of the database makes them; that a login may create something there says nothing: servers that come
 * from before Postgres 15 let everybody.
 */
export async function mayMigrate(runner: QueryRunner): Promise<boolean> {
  const [row] = (await runner.query(
    `SELECT pg_has_role(current_user, coalesce(
         (SELECT c.relowner FROM pg_class c WHERE c.oid = to_regclass('migrations')),
         (SELECT d.datdba FROM pg_database d WHERE d.datname = current_database())), 'USAGE')
       OR (to_regclass('migrations') IS NULL AND EXISTS (SELECT FROM pg_namespace n
         WHERE n.nspname = current_schema() AND pg_has_role(current_user, n.nspowner, 'USAGE'))) AS may`,
  )) as { may: boolean }[];
  return row?.may === true;
}

/** Whom statements run as: for one tenant, or across tenants. */
export type RoleName = 'app' | 'system';

/**
 * What such a login does instead.
 * @throws AppError DEPENDENCY.DATABASE_UNAVAILABLE while migrations are missing: whoever owns the tables has to run them
 * @throws AppError CONFIG.INVALID where the roles are not to be had, with what an administrator has to run
 */
export async function requireCurrentSchema(
  runner: QueryRunner,
  prefix: string,
  { roles, migrations }: { roles: readonly RoleName[]; migrations: readonly string[] },
): Promise<void> {
  const names = roles.map((role) => `${prefix}_${role}`);
  const [state] = (await runner.query(
    `SELECT to_regclass('migrations') IS NOT NULL AS "isThere", count(r.oid)::integer AS existing,
       count(*) FILTER (WHERE pg_has_role(current_user, r.oid, 'MEMBER'))::integer AS mine
     FROM unnest($1::text[]) needed(name) LEFT JOIN pg_roles r ON r.rolname = needed.name`,
    [names],
  )) as { isThere: boolean; existing: number; mine: number }[];
  if (state?.isThere !== true) throw behind('it holds no tables yet', 'owns neither it nor its schema');
  if (state.mine < names.length) throw noMember(prefix, names, state.existing === names.length);
  const applied = await readApplied(runner, `${prefix}_app`);
  const missing = migrations.filter((name) => !applied.has(name));
  if (missing.length > 0) throw behind(`${missing.length} migrations are missing`, "doesn't own its tables");
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

function behind(what: string, why: string): AppError {
  return new AppError('DEPENDENCY.DATABASE_UNAVAILABLE', {
    message: `The database is not at this release: ${what}, and the user of DATABASE_URL ${why}. The owner has to migrate it.`,
    retryAfterSeconds: 2,
  });
}

function noMember(prefix: string, needed: readonly string[], areThere: boolean): AppError {
  const create = areThere ? '' : `CREATE ROLE ${prefix}_app NOLOGIN; CREATE ROLE ${prefix}_system NOLOGIN; `;
  return new AppError('CONFIG.INVALID', {
    message: `The user of DATABASE_URL may not become the roles that its statements run as. Have run once on the server: ${create}GRANT ${needed.join(', ')} TO <user>;`,
  });
}
