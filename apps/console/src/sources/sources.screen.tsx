import type { Source } from '@candor/contracts';
import { useState } from 'react';
import { useList } from '../api/use-list.js';
import { useSession } from '../session/session.js';
import { Button } from '../ui/button.js';
import { Guarded } from '../ui/guarded.js';
import { ListView } from '../ui/list-view.js';
import { PageHeader } from '../ui/page-header.js';
import { ConnectSource } from './connect-source.js';
import { SourceEntry } from './source-entry.js';
import { SyncRuns } from './sync-runs.js';

export function SourcesScreen() {
  const { allows } = useSession();
  const [isConnecting, setConnecting] = useState(false);
  return (
    <>
      <PageHeader
        title="Sources"
        actions={
          allows('sources:write') ? (
            <Button variant="primary" onPress={() => setConnecting(true)}>
              Connect a source
            </Button>
          ) : null
        }
      >
        Accounts that are synced, how fresh they are, and what could not be read.
      </PageHeader>
      <Guarded action="sources:read">
        <div className="stack">
          <SourceList />
          {allows('sync:read') ? <SyncRuns /> : null}
        </div>
      </Guarded>
      <ConnectSource isOpen={isConnecting} onOpenChange={setConnecting} />
    </>
  );
}

const isUnderWay = ({ state, activeRunId, lastCheck }: Source): boolean =>
  state === 'deleting' || activeRunId !== null || lastCheck?.status === 'pending';

function SourceList() {
  const { query, items } = useList('listSources', { limit: 50 }, { isUnderWay, idleMs: 10_000 });
  return (
    <section className="stack-tight" aria-labelledby="sources">
      <h2 id="sources">Connected</h2>
      <ListView
        query={query}
        items={items}
        what="sources"
        empty="No source is connected. Documents can be uploaded, too."
      >
        {(source) => <SourceEntry key={source.id} source={source} />}
      </ListView>
    </section>
  );
}
