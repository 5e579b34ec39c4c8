import type { Source } from '@candor/contracts';
import { Badge } from '../ui/badge.js';
import { Facts } from '../ui/facts.js';
import { Notice } from '../ui/notice.js';
import { Progress } from '../ui/progress.js';
import { StateBadge } from '../ui/state-badge.js';
import { Ago } from '../ui/time.js';
import { formatCount, formatDuration, formatNumber } from '../words/format.js';
import { PROVIDER_NAMES } from '../words/provider-names.js';
import { SourceActions } from './source-actions.js';

export function SourceEntry({ source }: { source: Source }) {
  const { items, lastCheck, lastError, removal } = source;
  return (
    <li className="card">
      <div className="row row-between">
        <h3>{source.name}</h3>
        <span className="row">
          <Badge tone="accent">{PROVIDER_NAMES[source.provider]}</Badge>
          <StateBadge state={source.state} />
        </span>
      </div>
      <Facts
        facts={{
          Items: formatNumber(items.total),
          'Last good sync': <Ago at={source.lastSuccessAt} />,
          'Next sync': source.nextRunAt === null ? 'not scheduled' : <Ago at={source.nextRunAt} />,
          Every: source.schedule === null ? null : formatDuration(source.schedule.everyMinutes * 60),
          'Ids compared': <Ago at={source.lastReconciledAt} />,
          'Credentials checked':
            lastCheck?.status === 'pending' ? 'being checked' : <Ago at={lastCheck?.checkedAt ?? null} />,
        }}
      />
      <PolicyHealth items={items} />
      {lastCheck && lastCheck.status !== 'ok' && lastCheck.status !== 'pending' ? (
        <Notice
          tone="warn"
          title={
            lastCheck.status === 'rejected' ? 'The provider refuses the credentials' : 'The provider could not be asked'
          }
        >
          {lastCheck.error?.message}
        </Notice>
      ) : null}
      {lastError ? (
        <Notice tone="bad" title="The last sync failed">
          {lastError.message} (<Ago at={lastError.at} />)
        </Notice>
      ) : null}
      {removal && source.state === 'deleting' ? (
        <Progress
          label="Removing its items"
          value={removal.itemsTotal - removal.itemsRemaining}
          max={removal.itemsTotal}
          text={`${formatCount(removal.itemsRemaining, 'item')} left`}
        />
      ) : null}
      {source.state === 'deleting' ? null : <SourceActions source={source} />}
    </li>
  );
}

/** Items without a readable access policy are withheld from people's keys: a quiet lack, unless it is said. */
function PolicyHealth({ items: { total, withheld, failed } }: Pick<Source, 'items'>) {
  if (total === 0) return null;
  if (withheld === 0 && failed === 0) return <p className="quiet small">Every item has a readable access policy.</p>;
  return (
    <Notice tone="warn" title="Some items are not as they should be">
      {withheld > 0
        ? `${formatCount(withheld, 'item')} withheld from keys of people: who may see them is unclear. `
        : ''}
      {failed > 0 ? `${formatCount(failed, 'item')} could not be read.` : ''}
    </Notice>
  );
}
