import { Guarded } from '../ui/guarded.js';
import { PageHeader } from '../ui/page-header.js';
import { DeadLetters } from './dead-letters.js';
import { IngestionList } from './ingestion-list.js';
import { Uploads } from './uploads.js';

export function IngestionsScreen() {
  return (
    <>
      <PageHeader title="Ingestions">
        What is on its way to being searchable, stage by stage, and what failed and why.
      </PageHeader>
      <div className="stack">
        <Uploads />
        <Guarded action="ingest">
          <IngestionList />
          <DeadLetters />
        </Guarded>
      </div>
    </>
  );
}
