import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useSession } from '../session/session.js';
import { Chart } from '../ui/chart.js';
import { Facts } from '../ui/facts.js';
import { ErrorNotice, Loading } from '../ui/notice.js';
import { formatDuration, formatNumber } from '../words/format.js';
import { addSample, countWaiting, type QueueSample } from './queue-history.js';

const POLL_MS = 5_000;

export function QueueCard() {
  const { client } = useSession();
  const [history, setHistory] = useState<QueueSample[]>([]);
  const { data, error, isPending, dataUpdatedAt } = useQuery({
    queryKey: ['queue'],
    queryFn: async ({ signal }) => (await client.ingestions({ limit: 1 }, { signal })).meta,
    refetchInterval: POLL_MS,
  });
  const waiting = data ? countWaiting(data.counts) : undefined;
  useEffect(() => {
    if (waiting !== undefined) setHistory((known) => addSample(known, { at: dataUpdatedAt, waiting }));
  }, [waiting, dataUpdatedAt]);
  return (
    <section className="card" aria-labelledby="queue">
      <h2 id="queue">Queue depth</h2>
      {isPending ? <Loading what="the queue" /> : null}
      {error ? <ErrorNotice error={error} /> : null}
      {data && waiting !== undefined ? (
        <>
          <Facts
            facts={{
              'Waiting or under way': <span className="figure">{formatNumber(waiting)}</span>,
              'Indexed in a minute': <span className="figure">{formatNumber(data.indexedLastMinute)}</span>,
              Oldest: data.oldestSeconds === null ? null : formatDuration(data.oldestSeconds),
            }}
          />
          <Chart
            values={history.map((sample) => sample.waiting)}
            describe={formatNumber}
            label={`Queue depth over the last ${history.length} looks: now ${waiting}`}
          />
          <p className="quiet small">One look each five seconds while this page is open, oldest left.</p>
        </>
      ) : null}
    </section>
  );
}
