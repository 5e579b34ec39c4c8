import type { Generation, GenerationState } from '@candor/contracts';
import { useAction } from '../api/use-action.js';
import { useSession } from '../session/session.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/modal.js';
import { ErrorNotice } from '../ui/notice.js';

const CHANGES = ['listGenerations'] as const;
const CAN_PROMOTE = new Set<GenerationState>(['ready', 'previous']);
const CAN_RETIRE = new Set<GenerationState>(['building', 'ready', 'previous', 'failed']);
const CAN_RECONCILE = new Set<GenerationState>(['live', 'previous', 'ready']);

/** What a generation's state allows; what the server refuses all the same is shown with its reason. */
export function GenerationActions({ generation: { id, state, name } }: { generation: Generation }) {
  const { client } = useSession();
  const promote = useAction(() => client.promoteGeneration({ id }), CHANGES);
  const retire = useAction(() => client.retireGeneration({ id }), CHANGES);
  const reconcile = useAction(() => client.reconcileGeneration({ id }), CHANGES);
  const error = promote.error ?? retire.error ?? reconcile.error;
  const called = name ?? 'this build';
  return (
    <>
      <div className="row">
        {CAN_PROMOTE.has(state) ? (
          <Confirm
            trigger={
              <Button size="small" variant="primary" isPending={promote.isPending}>
                {state === 'previous' ? 'Roll back to it' : 'Promote'}
              </Button>
            }
            title={state === 'previous' ? `Roll back to ${called}?` : `Make ${called} the live one?`}
            confirm={state === 'previous' ? 'Roll back' : 'Promote it'}
            onConfirm={() => promote.mutate(undefined)}
          >
            Every search is answered by it from then on. The live one is kept in step, for the way back. It is refused
            when it is empty or incomplete.
          </Confirm>
        ) : null}
        {CAN_RECONCILE.has(state) ? (
          <Button size="small" isPending={reconcile.isPending} onPress={() => reconcile.mutate(undefined)}>
            Compare and repair
          </Button>
        ) : null}
        {CAN_RETIRE.has(state) ? (
          <Confirm
            trigger={
              <Button size="small" variant="danger" isPending={retire.isPending}>
                {state === 'building' ? 'Cancel the build' : 'Retire'}
              </Button>
            }
            title={state === 'building' ? 'Cancel the build?' : `Retire ${called}?`}
            confirm={state === 'building' ? 'Cancel the build' : 'Retire it'}
            isDangerous
            onConfirm={() => retire.mutate(undefined)}
          >
            Its index is dropped. {state === 'previous' ? 'There is no way back to it then.' : ''}
          </Confirm>
        ) : null}
        <span role="status">{reconcile.isSuccess ? 'The comparison was started.' : ''}</span>
      </div>
      {error ? <ErrorNotice error={error} /> : null}
    </>
  );
}
