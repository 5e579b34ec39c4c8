import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * While a release is rolled out, or rolled back, the one before goes on writing audit events with the question among the
 * metadata, where it could never be erased once the event is sealed. It is put apart as it comes in.
 */
export class SplitOlderEvents1764990000000 implements MigrationInterface {
  name = 'SplitOlderEvents1764990000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER audit_events_split_older ON audit_events');
    await runner.query('DROP FUNCTION split_older_event');
  }
}

const STATEMENTS = [
  // As `splitErasable` in TypeScript: SHA-256 of the salt and the canonical JSON.
  `CREATE FUNCTION split_older_event() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE fields jsonb; canonical text;
    BEGIN
      SELECT jsonb_object_agg(m.key, m.value),
          '{' || string_agg(to_json(m.key)::text || ':' || to_json(m.value #>> '{}')::text, ',' ORDER BY m.key COLLATE "C") || '}'
        INTO fields, canonical
        FROM jsonb_each(NEW.metadata) m
        WHERE m.key IN ('query', 'querySha256', 'externalId') AND jsonb_typeof(m.value) = 'string';
      IF fields IS NOT NULL THEN
        NEW.metadata := NEW.metadata - ARRAY(SELECT jsonb_object_keys(fields));
        NEW.erasable := fields;
        NEW.erasable_salt := uuid_send(gen_random_uuid());
        NEW.erasable_digest := sha256(NEW.erasable_salt || convert_to(canonical, 'UTF8'));
      END IF;
      RETURN NEW;
    END $$`,
  `CREATE TRIGGER audit_events_split_older BEFORE INSERT ON audit_events FOR EACH ROW
    WHEN (NEW.erasable IS NULL AND NEW.metadata ?| '{query,querySha256,externalId}')
    EXECUTE FUNCTION split_older_event()`,
];
