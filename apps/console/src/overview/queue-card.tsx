import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useSession } from '../session/session.js';
import { Chart } from '../ui/chart.js';
import { Facts } from '../ui/facts.js';
import { ErrorNotice, Loading } from '../ui/notice.js';
import { formatDuration, formatNumber } from '../words/format.js';
import { addSample, countWaiting, type QueueSample } from './queue-history.js';

const POLL_MS = 5_000;

export function QueueCard() {
  const { client } = useSession();
  const queries = useQueryClient();
  const { data, error, isPending } = useQuery({
    queryKey: ['queue'],
    queryFn: async ({ signal, queryKey }) => {
      const { meta } = await client.ingestions({ limit: 1 }, { signal });
      const waiting = countWaiting(meta.counts);
      const before = queries.getQueryData<{ history: QueueSample[] }>(queryKey)?.history ?? [];
      return { meta, waiting, history: addSample(before, { at: Date.now(), waiting }) };
    },
    refetchInterval: POLL_MS,
  });
  return (
    <section className="card" aria-labelledby="queue">
      <h2 id="queue">Queue depth</h2>
      {isPending ? <Loading what="the queue" /> : null}
      {error ? <ErrorNotice error={error} /> : null}
      {data ? (
        <>
          <Facts
            facts={{
              'Waiting or under way': <span className="figure">{formatNumber(data.waiting)}</span>,
              'Indexed in a minute': <span className="figure">{formatNumber(data.meta.indexedLastMinute)}</span>,
              Oldest: data.meta.oldestSeconds === null ? null : formatDuration(data.meta.oldestSeconds),
            }}
          />
          <Chart
            values={data.history.map(({ waiting }) => waiting)}
            describe={formatNumber}
            label={`Queue depth over the last ${data.history.length} looks: now ${data.waiting}`}
          />
          <p className="quiet small">One look each five seconds while this page is open, oldest left.</p>
        </>
      ) : null}
    </section>
  );
}
