import type { Source, SourceCheck } from '@candor/contracts';
import { useAction } from '../api/use-action.js';
import { useSession } from '../session/session.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/modal.js';
import { ErrorNotice } from '../ui/notice.js';
import { formatCount } from '../words/format.js';
import { followCheck } from './follow-check.js';

const CHANGES = ['listSources', 'listSyncRuns'] as const;

export function SourceActions({ source }: { source: Source }) {
  const { client, allows } = useSession();
  const { id, name, activeRunId, lastCheck } = source;
  const sync = useAction((mode: 'incremental' | 'full') => client.startSync({ sourceId: id, mode }), CHANGES);
  const cancel = useAction((runId: string) => client.cancelSync({ id: runId }), CHANGES);
  const check = useAction(async (before: string | null) => {
    const { data: answer } = await client.checkSource({ id });
    return { answer, before };
  }, CHANGES);
  const state = useAction((to: 'active' | 'paused') => client.updateSource({ id, state: to }), CHANGES);
  const remove = useAction(() => client.deleteSource({ id }), CHANGES);
  const error = [sync, cancel, check, state, remove].find((action) => action.error)?.error;
  return (
    <>
      <div className="row">
        {allows('sync:write') && activeRunId === null ? (
          <>
            <Button size="small" isPending={sync.isPending} onPress={() => sync.mutate('incremental')}>
              Sync now
            </Button>
            <Confirm
              trigger={<Button size="small">Sync everything anew</Button>}
              title={`Sync all of ${name} anew?`}
              confirm="Sync everything"
              onConfirm={() => sync.mutate('full')}
            >
              Everything is listed again and compared; what has not changed is not embedded again.
            </Confirm>
          </>
        ) : null}
        {allows('sync:write') && activeRunId !== null ? (
          <Button size="small" isPending={cancel.isPending} onPress={() => cancel.mutate(activeRunId)}>
            Cancel the sync
          </Button>
        ) : null}
        {allows('sources:write') ? (
          <>
            <Button size="small" isPending={check.isPending} onPress={() => check.mutate(lastCheck?.checkedAt ?? null)}>
              Check the credentials
            </Button>
            <Button
              size="small"
              isPending={state.isPending}
              onPress={() => state.mutate(source.state === 'paused' ? 'active' : 'paused')}
            >
              {source.state === 'paused' ? 'Resume' : 'Pause'}
            </Button>
            <Confirm
              trigger={
                <Button size="small" variant="danger">
                  Remove
                </Button>
              }
              title={`Remove ${name}?`}
              confirm="Remove it and its items"
              isDangerous
              onConfirm={() => remove.mutate(undefined)}
            >
              {formatCount(source.items.total, 'item')} are hidden from the next query on and then deleted, and the
              credentials are forgotten. This cannot be taken back.
            </Confirm>
          </>
        ) : null}
      </div>
      {check.data ? <CheckOutcome check={followCheck(check.data.answer, check.data.before, lastCheck)} /> : null}
      {error ? <ErrorNotice error={error} /> : null}
    </>
  );
}

function CheckOutcome({ check: { status, account } }: { check: SourceCheck }) {
  if (status === 'ok') return <p role="status">The credentials work{account === null ? '' : `, for ${account}`}.</p>;
  return <p role="status">{status === 'pending' ? 'Still being checked; the answer appears here.' : 'See above.'}</p>;
}
