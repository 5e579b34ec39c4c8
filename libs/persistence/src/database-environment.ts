import { z } from 'zod';
import { DEFAULT_ROLE_PREFIX, ROLE_PREFIX, type DatabaseOptions } from './database.js';

/** What every process that uses Postgres reads from the environment. */
export const databaseEnvironment = {
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .describe(
      'Postgres. Its user owns the tables and migrates them, or owns nothing and may become the two roles below; then the owner migrates.',
    ),
  DATABASE_ROLE_PREFIX: z
    .string()
    .regex(ROLE_PREFIX, 'must be of a-z, 0-9 and _, at most 51 characters')
    .default(DEFAULT_ROLE_PREFIX)
    .describe(
      'Statements run as the roles <prefix>_app and <prefix>_system, which the first migration makes. Roles belong to the whole server: installations that share one each need a prefix of their own.',
    ),
};

export function databaseOptionsFrom(config: {
  DATABASE_URL: string;
  DATABASE_ROLE_PREFIX: string;
}): Pick<DatabaseOptions, 'url' | 'rolePrefix'> {
  return { url: config.DATABASE_URL, rolePrefix: config.DATABASE_ROLE_PREFIX };
}
