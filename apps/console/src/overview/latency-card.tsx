import type { AuditAction, AuditEventView } from '@candor/contracts';
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../session/session.js';
import { Chart } from '../ui/chart.js';
import { Facts } from '../ui/facts.js';
import { Empty, ErrorNotice, Loading } from '../ui/notice.js';
import { formatMilliseconds } from '../words/format.js';
import { percentile, readLatencies } from './read-latencies.js';

const RETRIEVING: readonly AuditAction[] = ['context.retrieve', 'search.query', 'reason.answer'];
const EACH = 20;
const POLL_MS = 30_000;

/** Out of the audit trail, whose events hold the timings of what they report: no other way in is needed. */
export function LatencyCard() {
  const { client } = useSession();
  const { data, error, isPending } = useQuery({
    queryKey: ['latencies'],
    queryFn: async ({ signal }) => {
      const pages = await Promise.all(
        RETRIEVING.map((action) => client.auditEvents({ action, limit: EACH }, { signal })),
      );
      return readLatencies(pages.flatMap((page): AuditEventView[] => page.data));
    },
    refetchInterval: POLL_MS,
  });
  const values = data?.map(({ totalMs }) => totalMs) ?? [];
  const [median, slow] = [percentile(values, 0.5), percentile(values, 0.95)];
  return (
    <section className="card" aria-labelledby="latency">
      <h2 id="latency">Retrieval latency</h2>
      {isPending ? <Loading what="timings" /> : null}
      {error ? <ErrorNotice error={error} /> : null}
      {data?.length === 0 ? <Empty>Nothing was searched yet.</Empty> : null}
      {median !== undefined && slow !== undefined ? (
        <>
          <Facts
            facts={{
              Median: <span className="figure">{formatMilliseconds(median)}</span>,
              '95 %': <span className="figure">{formatMilliseconds(slow)}</span>,
            }}
          />
          <Chart
            values={values}
            describe={formatMilliseconds}
            label={`Retrieval latency of the last ${values.length} searches: median ${formatMilliseconds(median)}, 95 percent within ${formatMilliseconds(slow)}`}
          />
          <p className="quiet small">
            The last {values.length} searches of this tenant, oldest left, from the audit trail.
          </p>
        </>
      ) : null}
    </section>
  );
}
