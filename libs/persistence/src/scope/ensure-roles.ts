import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@candor/contracts';
import type { QueryRunner } from 'typeorm';

/** Roles belong to the whole server: installations that start together meet here. */
const ATTEMPTS = 10;

interface RoleRow {
  rolname: string;
  is_unbound: boolean;
}

/**
 * Makes the two roles that statements run as, and lets the one that connects become them. Neither can log in.
 * Errors: CONFIG.INVALID where that isn't permitted, with what an administrator of the server has to run.
 */
export async function ensureRoles(runner: QueryRunner, prefix: string): Promise<void> {
  const roles = [`${prefix}_app`, `${prefix}_system`];
  for (let attempt = 1; ; attempt += 1) {
    try {
      await createMissing(runner, roles);
      break;
    } catch (error) {
      if (codeOf(error) === '42501') throw notPermitted(roles, error);
      // Another installation made or granted the same at the same moment.
      if (!['42710', '23505', 'XX000'].includes(codeOf(error) ?? '') || attempt === ATTEMPTS) throw error;
      await delay(50 * attempt);
    }
  }
}

async function createMissing(runner: QueryRunner, roles: readonly string[]): Promise<void> {
  const existing = (await runner.query(
    `SELECT rolname, rolsuper OR rolbypassrls AS is_unbound FROM pg_roles WHERE rolname = ANY($1)`,
    [roles],
  )) as RoleRow[];
  const unbound = existing.find((role) => role.is_unbound);
  if (unbound)
    throw new AppError('CONFIG.INVALID', {
      message: `The role ${unbound.rolname} is a superuser or has BYPASSRLS: row-level security would not hold it.`,
    });
  for (const role of roles)
    if (!existing.some(({ rolname }) => rolname === role)) await runner.query(`CREATE ROLE ${role} NOLOGIN`);
  const [me] = (await runner.query(
    `SELECT rolsuper AS is_super, current_setting('server_version_num')::integer AS version
     FROM pg_roles WHERE rolname = current_user`,
  )) as { is_super: boolean; version: number }[];
  // A superuser may become anybody.
  if (me?.is_super !== false) return;
  const isModern = me.version >= 160_000;
  const [app = '', system = ''] = roles;
  await grant(runner, app, isModern, 'SET', isModern ? ' WITH INHERIT FALSE, SET TRUE' : '');
  // The owner of the tables is held to their policies like everybody; a migration has to see all rows.
  await grant(runner, system, isModern, 'USAGE', isModern ? ' WITH INHERIT TRUE, SET TRUE' : '');
}

async function grant(
  runner: QueryRunner,
  role: string,
  isModern: boolean,
  privilege: string,
  options: string,
): Promise<void> {
  const [row] = (await runner.query(`SELECT pg_has_role(current_user, $1, $2) AS granted`, [
    role,
    isModern ? privilege : 'MEMBER',
  ])) as { granted: boolean }[];
  if (row?.granted !== true) await runner.query(`GRANT ${role} TO CURRENT_USER${options}`);
}

function notPermitted(roles: readonly string[], cause: unknown): AppError {
  const statements = [...roles.map((role) => `CREATE ROLE ${role} NOLOGIN;`), `GRANT ${roles.join(', ')} TO <user>;`];
  return new AppError('CONFIG.INVALID', {
    message: `The user of DATABASE_URL may not make the roles that statements run as. Have run once on the server: ${statements.join(' ')}`,
    cause,
  });
}

/** Before the first migration the roles aren't there yet. */
export function isMissingRole(error: unknown): boolean {
  return codeOf(error) === '22023' && error instanceof Error && /role "[^"]+" does not exist/.test(error.message);
}

function codeOf(error: unknown): string | undefined {
  const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
