import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What waits in the outbox is told apart by where it comes from, so that a connector's backlog starves no other. */
export class OutboxLanes1764800000000 implements MigrationInterface {
  name = 'OutboxLanes1764800000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE outbox ADD COLUMN lane text NOT NULL DEFAULT ''`);
    // One order for everybody: with another one to choose from, the planner reads a large backlog to find a small one.
    await runner.query(`ALTER TABLE outbox DROP CONSTRAINT outbox_pkey, ADD PRIMARY KEY (tenant_id, lane, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE outbox DROP CONSTRAINT outbox_pkey, ADD PRIMARY KEY (tenant_id, id)`);
    await runner.query(`ALTER TABLE outbox DROP COLUMN lane`);
  }
}
