import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Logins that own nothing have to see whether the schema is at their release; they change nothing about it. */
export class ReadableSchemaVersion1764990000101 implements MigrationInterface {
  name = 'ReadableSchemaVersion1764990000101';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(statement('GRANT SELECT ON migrations TO %I, %I'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(statement('REVOKE SELECT ON migrations FROM %I, %I'));
  }
}

const statement = (template: string): string => `DO $$
  DECLARE prefix text := current_setting('candor.role_prefix');
  BEGIN
    EXECUTE format('${template}', prefix || '_app', prefix || '_system');
  END $$`;
