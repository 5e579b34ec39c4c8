import type { IngestionStatus } from '@candor/contracts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { useList } from '../api/use-list.js';
import { usePolling } from '../api/use-polling.js';
import { useSession } from '../session/session.js';
import { Facts } from '../ui/facts.js';
import { ListView } from '../ui/list-view.js';
import { ErrorNotice, Loading } from '../ui/notice.js';
import { Progress } from '../ui/progress.js';
import { StateBadge } from '../ui/state-badge.js';
import { Ago } from '../ui/time.js';
import { formatDuration, formatNumber, shortId } from '../words/format.js';
import { stateWords } from '../words/state-tone.js';
import { countAll, countDone, STAGES } from './count-stages.js';

type Summary = Omit<IngestionStatus, 'items'>;

export function IngestionList() {
  const [search] = useSearchParams();
  const named = search.get('requestId');
  const { query, items, first } = useList('ingestions', { limit: 10 }, { isUnderWay: ({ done }) => !done });
  return (
    <>
      {first ? <Stages meta={first.meta} /> : null}
      <section className="stack-tight" aria-labelledby="requests">
        <h2 id="requests">{named === null ? 'Ingest requests' : `Request ${shortId(named)}`}</h2>
        {named === null ? (
          <ListView query={query} items={items} what="ingest requests" empty="Nothing was pushed or uploaded yet.">
            {(ingestion) => (
              <li className="card" key={ingestion.requestId}>
                <IngestionSummary ingestion={ingestion} createdAt={ingestion.createdAt} />
                <Items requestId={ingestion.requestId} isDone={ingestion.done} />
              </li>
            )}
          </ListView>
        ) : (
          <div className="card">
            <OneIngestion requestId={named} />
            <Link to="/ingestions">All requests</Link>
          </div>
        )}
      </section>
    </>
  );
}

type Overview = Pick<IngestionStatus, 'counts' | 'etaSeconds'> & {
  oldestSeconds: number | null;
  indexedLastMinute: number;
};

function Stages({ meta }: { meta: Overview }) {
  return (
    <section className="stack-tight" aria-labelledby="stages">
      <h2 id="stages">On the way</h2>
      <dl className="stages" aria-live="polite">
        {STAGES.map((stage) => (
          <div key={stage}>
            <dt className="quiet small">{stateWords(stage).words}</dt>
            <dd className="figure">{formatNumber(meta.counts[stage] ?? 0)}</dd>
          </div>
        ))}
        <div>
          <dt className="quiet small">oldest</dt>
          <dd className="figure">{meta.oldestSeconds === null ? '–' : formatDuration(meta.oldestSeconds)}</dd>
        </div>
        <div>
          <dt className="quiet small">done in</dt>
          <dd className="figure">{describeEta(meta.etaSeconds)}</dd>
        </div>
      </dl>
    </section>
  );
}

function describeEta(seconds: number | null): string {
  if (seconds === null) return 'unknown';
  return seconds === 0 ? '–' : formatDuration(seconds);
}

function IngestionSummary({ ingestion, createdAt }: { ingestion: Summary; createdAt?: string }) {
  const { counts, done, etaSeconds, requestId } = ingestion;
  const all = countAll(counts);
  return (
    <>
      <div className="row row-between">
        <h3>
          <code>{shortId(requestId)}</code>
        </h3>
        <span className="row">
          {Object.entries(counts).map(([state, count]) => (
            <span className="row" key={state}>
              {count} <StateBadge state={state as keyof typeof counts} />
            </span>
          ))}
        </span>
      </div>
      {done ? null : (
        <Progress
          label="Progress"
          value={countDone(counts)}
          max={all}
          text={`${countDone(counts)} of ${all}${etaSeconds === null ? '' : `, done in ${formatDuration(etaSeconds)}`}`}
        />
      )}
      <Facts
        facts={{
          Received: createdAt === undefined ? null : <Ago at={createdAt} />,
          Audit: <Link to={`/audit?requestId=${requestId}`}>its events</Link>,
        }}
      />
    </>
  );
}

function useIngestion(requestId: string, enabled: boolean) {
  const { client } = useSession();
  const refetchInterval = usePolling<IngestionStatus>(({ done }) => !done);
  return useQuery({
    queryKey: ['ingestion', requestId],
    queryFn: ({ signal }) => client.ingestion({ requestId }, { signal }),
    enabled,
    refetchInterval,
  });
}

function OneIngestion({ requestId }: { requestId: string }) {
  const { data, error, isPending } = useIngestion(requestId, true);
  if (isPending) return <Loading what="the request" />;
  if (!data) return <ErrorNotice error={error} />;
  return (
    <>
      <IngestionSummary ingestion={data} />
      <ItemList items={data.items} />
    </>
  );
}

function Items({ requestId, isDone }: { requestId: string; isDone: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const { data, error } = useIngestion(requestId, isOpen);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Items{isDone ? '' : ', as they go'}</summary>
      {isOpen && !data && !error ? <Loading what="the items" /> : null}
      {error ? <ErrorNotice error={error} /> : null}
      {data ? <ItemList items={data.items} /> : null}
    </details>
  );
}

function ItemList({ items }: { items: IngestionStatus['items'] }) {
  return (
    <ul className="stack-tight">
      {items.map(({ externalId, sourceItemId, version, status, error }) => (
        <li key={`${sourceItemId} ${version}`} className="row">
          <StateBadge state={status} />
          <Link to={`/items/${sourceItemId}`}>{externalId}</Link>
          {error ? <span className="quiet">{error.message}</span> : null}
        </li>
      ))}
    </ul>
  );
}
