import type { SyncCounts, SyncRun } from '@candor/contracts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { useAction } from '../api/use-action.js';
import { useList } from '../api/use-list.js';
import { useSession } from '../session/session.js';
import { Badge } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { Facts } from '../ui/facts.js';
import { ListView } from '../ui/list-view.js';
import { ErrorNotice, Loading, Notice } from '../ui/notice.js';
import { Progress } from '../ui/progress.js';
import { StateBadge } from '../ui/state-badge.js';
import { Ago } from '../ui/time.js';

const MODES = { incremental: 'what changed', full: 'everything', reconcile: 'ids compared' } as const;
const COUNTS: Readonly<Record<keyof SyncCounts, string>> = {
  listed: 'Listed',
  accepted: 'New or changed',
  unchanged: 'Unchanged',
  metadata: 'Only details changed',
  deleted: 'Deleted',
  failed: 'Not readable',
  withheld: 'Access unclear',
  suppressed: 'Kept deleted',
};

const isUnderWay = ({ state }: SyncRun): boolean => state === 'queued' || state === 'running';

export function SyncRuns() {
  const { query, items } = useList('listSyncRuns', { limit: 20 }, { isUnderWay, idleMs: 3_000 });
  return (
    <section className="stack-tight" aria-labelledby="runs">
      <h2 id="runs">Sync runs</h2>
      <div aria-live="polite">
        <ListView query={query} items={items} what="sync runs" empty="Nothing was synced yet.">
          {(run) => <RunEntry key={run.id} run={run} />}
        </ListView>
      </div>
    </section>
  );
}

function RunEntry({ run }: { run: SyncRun }) {
  const { client, allows } = useSession();
  const cancel = useAction(() => client.cancelSync({ id: run.id }), ['listSyncRuns', 'listSources']);
  const name = useSourceName(run.sourceId);
  const counts = Object.entries(run.counts).filter(([, count]) => count > 0);
  return (
    <li className="card">
      <div className="row row-between">
        <h3>
          {name}: {MODES[run.mode]}
        </h3>
        <span className="row">
          {run.cancelRequested && isUnderWay(run) ? <Badge tone="warn">stops at its next batch</Badge> : null}
          <StateBadge state={run.state} />
        </span>
      </div>
      {isUnderWay(run) ? (
        <Progress label="Progress" value={0} max={1} isIndeterminate text={`${run.counts.listed} listed so far`} />
      ) : null}
      {run.waiting ? (
        <Notice tone="warn" title="Waiting for the provider">
          {run.waiting.error.message} It goes on <Ago at={run.waiting.until} />.
        </Notice>
      ) : null}
      <Facts
        facts={{
          ...Object.fromEntries(counts.map(([key, count]) => [COUNTS[key as keyof SyncCounts], count])),
          Began: <Ago at={run.startedAt ?? run.createdAt} />,
          Ended: run.endedAt === null ? null : <Ago at={run.endedAt} />,
          Ingestion: run.counts.accepted > 0 ? <Link to={`/ingestions?requestId=${run.id}`}>its items</Link> : null,
        }}
      />
      {run.error ? (
        <Notice tone="bad" title="It failed">
          {run.error.message}
        </Notice>
      ) : null}
      {run.counts.failed > 0 ? <Failures id={run.id} /> : null}
      {allows('sync:write') && isUnderWay(run) && !run.cancelRequested ? (
        <div>
          <Button size="small" isPending={cancel.isPending} onPress={() => cancel.mutate(undefined)}>
            Cancel
          </Button>
        </div>
      ) : null}
      {cancel.error ? <ErrorNotice error={cancel.error} /> : null}
    </li>
  );
}

function useSourceName(id: string): string {
  const { items = [] } = useList('listSources', { limit: 50 });
  return items.find((source) => source.id === id)?.name ?? 'A removed source';
}

function Failures({ id }: { id: string }) {
  const { client } = useSession();
  const [isOpen, setOpen] = useState(false);
  const { data, error, isPending } = useQuery({
    queryKey: ['getSyncRun', id],
    queryFn: async ({ signal }) => (await client.getSyncRun({ id }, { signal })).data.failures,
    enabled: isOpen,
  });
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>What could not be read</summary>
      {isOpen && isPending ? <Loading what="the failures" /> : null}
      {error ? <ErrorNotice error={error} /> : null}
      <ul className="stack-tight">
        {data?.map(({ externalId, title, error: failure }) => (
          <li key={externalId}>
            <strong>{title ?? externalId}</strong>: {failure.message}
          </li>
        ))}
      </ul>
    </details>
  );
}
