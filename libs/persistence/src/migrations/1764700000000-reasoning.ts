import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What items declare of each other, what is proposed and reviewed, how scores are calibrated, and what callers say of answers. */
export class Reasoning1764700000000 implements MigrationInterface {
  name = 'Reasoning1764700000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP TABLE feedback, calibrations, reviewed_relations, relation_proposals, proposal_scans, item_relations',
    );
    await runner.query('DROP INDEX source_items_by_link');
  }
}

const STATEMENTS = [
  // As said at ingest, by version; which items are meant is found when it is asked for, since they may come later.
  `CREATE TABLE item_relations (
    tenant_id uuid NOT NULL,
    item_id uuid NOT NULL,
    version integer NOT NULL,
    kind text NOT NULL,
    target text NOT NULL,
    PRIMARY KEY (item_id, version, kind, target),
    FOREIGN KEY (item_id, version) REFERENCES item_versions (item_id, version)
  )`,
  `CREATE INDEX item_relations_by_target ON item_relations (tenant_id, kind, target)
    WHERE kind IN ('supersedes', 'references', 'reply_of', 'same_thread')`,
  // A hash, since addresses may be longer than a btree takes.
  `CREATE INDEX source_items_by_link ON source_items USING hash (rtrim(split_part(url, '#', 1), '/'))
    WHERE url IS NOT NULL`,

  // What was said before this table was there. Addresses as `findLinks` reads them, but for brackets within one.
  `INSERT INTO item_relations (tenant_id, item_id, version, kind, target)
    SELECT DISTINCT i.tenant_id, i.id, v.version, d.kind, d.target
    FROM source_items i JOIN item_versions v ON v.item_id = i.id AND v.version IN (i.live_version, i.latest_version)
    CROSS JOIN LATERAL (
      SELECT 'supersedes' AS kind, unnest(i.supersedes) AS target
      UNION ALL SELECT 'status', left(lower(trim(i.metadata->>'status')), 100)
        WHERE jsonb_typeof(i.metadata->'status') = 'string'
      UNION ALL SELECT 'same_thread', trim(i.metadata->>'threadId') WHERE jsonb_typeof(i.metadata->'threadId') = 'string'
      UNION ALL SELECT 'same_thread',
          coalesce(i.metadata->>'channelId', i.metadata->>'channelName', '') || ':' || (i.metadata->>'threadTs')
        WHERE jsonb_typeof(i.metadata->'threadTs') = 'string' AND i.metadata->'threadId' IS NULL
      UNION ALL SELECT 'references', rtrim(split_part(rtrim(m[1], '.,;:!?*_|)]}'), '#', 1), '/')
        FROM regexp_matches(v.text, 'https?://[^\\s<>"''\`\\\\|]+', 'gi') AS m
    ) d
    WHERE i.deleted_at IS NULL AND d.target <> '' AND char_length(d.target) <= 512`,

  // The digest is the engine's own id of a finding: it is proposed once.
  `CREATE TABLE relation_proposals (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants (id),
    generation_id uuid NOT NULL,
    digest text NOT NULL,
    kind text NOT NULL,
    state text NOT NULL DEFAULT 'pending',
    subject text NOT NULL,
    explanation text NOT NULL,
    confidence double precision NOT NULL,
    claims jsonb NOT NULL,
    first_item_id uuid NOT NULL,
    first_version integer NOT NULL,
    second_item_id uuid NOT NULL,
    second_version integer NOT NULL,
    reviewed_at timestamptz(3),
    reviewed_by uuid,
    note text,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    UNIQUE (tenant_id, digest)
  )`,
  `CREATE INDEX relation_proposals_by_tenant ON relation_proposals (tenant_id, created_at, id)`,
  `CREATE INDEX relation_proposals_by_first ON relation_proposals (first_item_id)`,
  `CREATE INDEX relation_proposals_by_second ON relation_proposals (second_item_id)`,

  // What the corpus was when it was last looked through for proposals.
  `CREATE TABLE proposal_scans (
    tenant_id uuid PRIMARY KEY REFERENCES tenants (id),
    corpus_sum numeric NOT NULL,
    scanned_at timestamptz(3) NOT NULL DEFAULT now()
  )`,

  // Never part of an item's own metadata.
  `CREATE TABLE reviewed_relations (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants (id),
    kind text NOT NULL,
    from_item_id uuid NOT NULL,
    to_item_id uuid NOT NULL,
    proposal_id uuid NOT NULL UNIQUE,
    reviewer_api_key_id uuid NOT NULL,
    note text,
    created_at timestamptz(3) NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX reviewed_relations_by_from ON reviewed_relations (from_item_id)`,
  `CREATE INDEX reviewed_relations_by_to ON reviewed_relations (to_item_id)`,

  `CREATE TABLE calibrations (
    id text NOT NULL,
    tenant_id uuid NOT NULL REFERENCES tenants (id),
    generation_id uuid NOT NULL,
    document jsonb NOT NULL,
    alarmed_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
  )`,
  `CREATE INDEX calibrations_by_generation ON calibrations (tenant_id, generation_id, created_at)`,

  // Without the question: its text stays in the audit event of its request, where the tenant wants it kept.
  `CREATE TABLE feedback (
    id uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants (id),
    request_id uuid NOT NULL,
    api_key_id uuid NOT NULL,
    rating text NOT NULL,
    note text,
    answerable boolean,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    UNIQUE (tenant_id, request_id, api_key_id)
  )`,
];
