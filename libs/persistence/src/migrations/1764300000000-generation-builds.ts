import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a generation was built with, how far its build is, and what it holds while it is not the live one. */
export class GenerationBuilds1764300000000 implements MigrationInterface {
  name = 'GenerationBuilds1764300000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Generations that are not live would be lost.');
  }
}

const STATEMENTS = [
  `ALTER TABLE generations
    ADD COLUMN number integer NOT NULL DEFAULT 1,
    ADD COLUMN requested_model text,
    ADD COLUMN recipe jsonb,
    ADD COLUMN chunking text NOT NULL DEFAULT '',
    ADD COLUMN request_id uuid,
    ADD COLUMN error_type text,
    ADD COLUMN error_message text,
    ADD COLUMN work text,
    ADD COLUMN work_round integer NOT NULL DEFAULT 0,
    ADD COLUMN work_phase text NOT NULL DEFAULT 'fill',
    ADD COLUMN work_cursor uuid,
    ADD COLUMN work_lease_until timestamptz(3),
    ADD COLUMN work_started_at timestamptz(3),
    ADD COLUMN work_items integer NOT NULL DEFAULT 0,
    ADD COLUMN report jsonb,
    ADD COLUMN promotion jsonb,
    ADD COLUMN built_at timestamptz(3),
    ADD COLUMN promoted_at timestamptz(3),
    ADD COLUMN demoted_at timestamptz(3),
    ADD COLUMN retire_after timestamptz(3),
    ADD COLUMN retired_at timestamptz(3),
    ADD COLUMN reconciled_at timestamptz(3)`,
  `UPDATE generations SET built_at = created_at, promoted_at = created_at WHERE status = 'live'`,
  `CREATE UNIQUE INDEX generations_by_number ON generations (tenant_id, number)`,
  `CREATE UNIQUE INDEX generations_one_build ON generations (tenant_id) WHERE status IN ('building', 'ready')`,
  `CREATE INDEX generations_at_work ON generations (work_lease_until) WHERE work IS NOT NULL`,

  // What a generation that is not live holds; of the live one, source_items.live_version says it.
  `CREATE TABLE generation_items (
    generation_id uuid NOT NULL REFERENCES generations (id),
    item_id uuid NOT NULL,
    version integer NOT NULL,
    PRIMARY KEY (generation_id, item_id)
  )`,
  `CREATE INDEX generation_items_by_item ON generation_items (item_id)`,

  // A build walks a tenant's items in the order of their ids.
  `CREATE INDEX source_items_by_id ON source_items (tenant_id, id) WHERE deleted_at IS NULL`,

  // Two models cut a text differently, and both generations' chunks must stay readable.
  `ALTER TABLE chunks ADD COLUMN chunking text NOT NULL DEFAULT ''`,

  // What the workers are configured with; the newest row is what a new generation is built with.
  `CREATE TABLE configured_recipes (
    fingerprint text PRIMARY KEY,
    recipe jsonb NOT NULL,
    configured_at timestamptz(3) NOT NULL DEFAULT now()
  )`,

  // As `corpusTermOf` in TypeScript: the first 128 bits of SHA-256, as an unsigned number.
  `CREATE FUNCTION corpus_term(item_id uuid, version integer, content_hash text) RETURNS numeric
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
      SELECT mod(h::numeric + 18446744073709551616, 18446744073709551616) * 18446744073709551616
        + mod(l::numeric + 18446744073709551616, 18446744073709551616)
      FROM (SELECT sha256(convert_to(item_id::text || ':' || version || ':' || content_hash, 'UTF8')) AS digest) d,
        LATERAL (SELECT ('x' || encode(substring(digest FROM 1 FOR 8), 'hex'))::bit(64)::bigint AS h,
          ('x' || encode(substring(digest FROM 9 FOR 8), 'hex'))::bit(64)::bigint AS l) parts
    $$`,
];
