import type { Query, QueryKey } from '@tanstack/react-query';
import { useRef } from 'react';
import { afterPoll, nextPoll, type PollState } from './next-poll.js';

interface Seen {
  at: number;
  data: unknown;
  poll: PollState;
}

/**
 * `refetchInterval` of a query that watches something under way. The library asks nothing while the tab is hidden, and looks
 * at once when it is back. `idleMs`: pause while nothing is under way; without it nobody asks again then.
 */
export function usePolling<Data>(isUnderWay: (data: Data) => boolean, idleMs?: number) {
  const seen = useRef<Seen>({ at: 0, data: undefined, poll: { unchanged: 0, failures: 0 } });
  return <Fetched, Key extends QueryKey>({ state }: Query<Fetched, Error, Data, Key>): number | false => {
    const { data, dataUpdatedAt, errorUpdatedAt, status } = state;
    const at = Math.max(dataUpdatedAt, errorUpdatedAt);
    if (at > seen.current.at) {
      // Equal answers keep their identity.
      const outcome = status === 'error' ? 'failed' : data === seen.current.data ? 'unchanged' : 'changed';
      seen.current = { at, data, poll: afterPoll(seen.current.poll, outcome) };
    }
    return nextPoll(data === undefined || isUnderWay(data), seen.current.poll) || (idleMs ?? false);
  };
}
