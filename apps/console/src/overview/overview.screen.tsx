import { useQuery } from '@tanstack/react-query';
import { useSession } from '../session/session.js';
import { ACTION_NAMES, ACTIONS } from '../session/permissions.js';
import { Badge } from '../ui/badge.js';
import { Facts } from '../ui/facts.js';
import { ErrorNotice, Loading } from '../ui/notice.js';
import { PageHeader } from '../ui/page-header.js';
import { formatNumber } from '../words/format.js';
import { HealthCard } from './health-card.js';
import { LatencyCard } from './latency-card.js';
import { QueueCard } from './queue-card.js';

export function OverviewScreen() {
  const { allows } = useSession();
  return (
    <>
      <PageHeader title="Overview">Whether everything works, how fast it answers, and what waits.</PageHeader>
      <div className="stack">
        <HealthCard />
        <div className="tiles">
          {allows('audit:read') ? <LatencyCard /> : null}
          {allows('ingest') ? <QueueCard /> : null}
        </div>
        <CallerCard />
      </div>
    </>
  );
}

function CallerCard() {
  const { client, caller, allows } = useSession();
  const { data, error, isPending } = useQuery({
    queryKey: ['capabilities'],
    queryFn: async ({ signal }) => (await client.capabilities({}, { signal })).data,
    staleTime: 60_000,
  });
  return (
    <section className="card" aria-labelledby="caller">
      <h2 id="caller">This key</h2>
      <Facts facts={{ Name: caller.name, Id: <code>{caller.id}</code> }} />
      <ul className="row" aria-label="What it may do">
        {ACTIONS.map((action) => (
          <li key={action}>
            <Badge tone={allows(action) ? 'good' : undefined}>
              <span title={ACTION_NAMES[action]}>{action}</span>
              <span className="visually-hidden">{allows(action) ? ': allowed' : ': not allowed'}</span>
              {allows(action) ? null : <span aria-hidden="true"> –</span>}
            </Badge>
          </li>
        ))}
      </ul>
      {isPending ? <Loading what="its limits" /> : null}
      {error ? <ErrorNotice error={error} /> : null}
      {data ? (
        <Facts
          facts={{
            'Requests a minute, each action':
              data.limits.requestsPerMinute === null ? 'no limit' : formatNumber(data.limits.requestsPerMinute),
            'Hits at most': data.limits.searchHits,
            'Upload at most': `${Math.round(data.limits.uploadBytes / 1024 / 1024)} MiB`,
            'Tools for agents': `${data.tools.filter(({ allowed }) => allowed).length} of ${data.tools.length}`,
          }}
        />
      ) : null}
    </section>
  );
}
