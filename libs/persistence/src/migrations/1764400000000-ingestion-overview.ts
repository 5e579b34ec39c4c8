import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an overview of a tenant's ingestions asks: how much waits in which state, since when, and how fast it gets less. */
export class IngestionOverview1764400000000 implements MigrationInterface {
  name = 'IngestionOverview1764400000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX item_versions_by_state ON item_versions (tenant_id, state, state_at)');
    await runner.query('CREATE INDEX ingestions_by_age ON ingestions (tenant_id, created_at, request_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX item_versions_by_state, ingestions_by_age');
  }
}
