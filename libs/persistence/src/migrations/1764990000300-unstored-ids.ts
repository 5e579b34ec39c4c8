import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Ids that a source lists and that aren't stored: whether they come by themselves shows in the next listing. */
export class UnstoredIds1764990000300 implements MigrationInterface {
  name = 'UnstoredIds1764990000300';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE source_unstored_ids (
      source_id uuid NOT NULL REFERENCES source_connectors (id),
      external_id text NOT NULL,
      noted_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      listed_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      is_open boolean NOT NULL,
      PRIMARY KEY (source_id, external_id)
    )`);
    await runner.query(`SELECT candor_protect_through('source_unstored_ids', 'source_id', 'source_connectors')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE source_unstored_ids');
  }
}
