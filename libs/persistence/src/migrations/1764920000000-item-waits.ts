import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When an item that is parked or being retried is tried again; why is in its error columns. */
export class ItemWaits1764920000000 implements MigrationInterface {
  name = 'ItemWaits1764920000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE item_versions ADD COLUMN next_attempt_at timestamptz(3)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE item_versions DROP COLUMN next_attempt_at');
  }
}
