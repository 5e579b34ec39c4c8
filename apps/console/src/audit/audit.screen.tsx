import type { AuditAction } from '@candor/contracts';
import { useState, type SubmitEvent } from 'react';
import { useSearchParams } from 'react-router';
import { useList } from '../api/use-list.js';
import { Button } from '../ui/button.js';
import { Guarded } from '../ui/guarded.js';
import { ListView } from '../ui/list-view.js';
import { PageHeader } from '../ui/page-header.js';
import { Select } from '../ui/select.js';
import { TextField } from '../ui/text-field.js';
import { ACTION_FILTERS } from './describe-event.js';
import { ChainCard } from './chain-card.js';
import { EventEntry } from './event-entry.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** `/audit?requestId=…` is what every request id of the console links to. */
export function AuditScreen() {
  return (
    <>
      <PageHeader title="Audit">
        Who asked for what, which sources were used and what was withheld. Events hold ids, counts and digests, never
        content or answers.
      </PageHeader>
      <Guarded action="audit:read">
        <div className="stack">
          <ChainCard />
          <Trail />
        </div>
      </Guarded>
    </>
  );
}

function Trail() {
  const [search, setSearch] = useSearchParams();
  const requestId = search.get('requestId') ?? '';
  const action = search.get('action') ?? '';
  const filter = {
    limit: 20,
    ...(UUID.test(requestId) ? { requestId } : {}),
    ...(action in ACTION_FILTERS && action !== '' ? { action: action as AuditAction } : {}),
  };
  const { query, items } = useList('auditEvents', filter);
  return (
    <section className="stack" aria-labelledby="events">
      <h2 id="events">{filter.requestId ? `Events of request ${filter.requestId}` : 'Events, newest first'}</h2>
      <Filters key={requestId} requestId={requestId} action={action} onChange={setSearch} />
      <div aria-live="polite">
        <ListView
          query={query}
          // The events of one request are a story: from its beginning.
          items={filter.requestId ? items?.toReversed() : items}
          what="audit events"
          empty={
            filter.requestId
              ? 'No event has this request id. A question still under way has its last one when it ends.'
              : 'No events.'
          }
        >
          {(event) => <EventEntry key={event.id} event={event} />}
        </ListView>
      </div>
    </section>
  );
}

interface FiltersProps {
  requestId: string;
  action: string;
  onChange: (search: Record<string, string>) => void;
}

function Filters({ requestId, action, onChange }: FiltersProps) {
  const [id, setId] = useState(requestId);
  const [chosen, setChosen] = useState(action);
  const [problem, setProblem] = useState<string>();
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const trimmed = id.trim();
    const found = trimmed === '' || UUID.test(trimmed) ? undefined : 'A request id is a UUID; it is in X-Request-Id.';
    setProblem(found);
    if (!found) onChange({ ...(trimmed ? { requestId: trimmed } : {}), ...(chosen ? { action: chosen } : {}) });
  };
  return (
    <form className="card" onSubmit={submit} noValidate>
      <div className="fields">
        <TextField label="Request id" value={id} onChange={setId} error={problem} />
        <Select label="What happened" options={ACTION_FILTERS} value={chosen} onChange={setChosen} />
      </div>
      <div className="form-actions">
        <Button type="submit" variant="primary">
          Show
        </Button>
        {requestId || action ? <Button onPress={() => onChange({})}>Show all</Button> : null}
      </div>
    </form>
  );
}
