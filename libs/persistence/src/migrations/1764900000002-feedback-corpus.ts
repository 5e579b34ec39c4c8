import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a label says of the corpus holds for the corpus as it was: how large it was then. Of older labels that isn't known. */
export class FeedbackCorpus1764900000002 implements MigrationInterface {
  name = 'FeedbackCorpus1764900000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE feedback ADD COLUMN corpus_size integer');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE feedback DROP COLUMN corpus_size');
  }
}
