import type { ContextContract11, SearchResponse } from '@candor/contracts';
import type { Sent } from '@candor/client';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useSession } from '../session/session.js';

export interface RetrievalRequest extends Sent<'search'> {
  /** The whole contract, or the hits alone as `/v1/search` gives them. */
  envelope: boolean;
}

export type RetrievalState =
  | { kind: 'idle' }
  | { kind: 'running' }
  | { kind: 'cancelled' }
  | { kind: 'failed'; error: unknown }
  | { kind: 'contract'; contract: ContextContract11 }
  | { kind: 'search'; response: SearchResponse; requestId: string };

export function useRetrieval() {
  const { client } = useSession();
  const [state, setState] = useState<RetrievalState>({ kind: 'idle' });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const retrieve = useCallback(
    async ({ envelope, ...request }: RetrievalRequest): Promise<void> => {
      running.current?.abort();
      const controller = new AbortController();
      running.current = controller;
      const { signal } = controller;
      setState({ kind: 'running' });
      const settle = (outcome: RetrievalState): void => {
        if (running.current === controller) setState(outcome);
      };
      try {
        if (envelope) {
          const contract = await client.context({ ...request, contractVersion: '1.1' }, { signal });
          settle({ kind: 'contract', contract: contract as ContextContract11 });
        } else {
          let requestId = '';
          const response = await client.search(request, {
            signal,
            onResponse: (received) => (requestId = received.requestId),
          });
          settle({ kind: 'search', response, requestId });
        }
      } catch (error) {
        settle(signal.aborted ? { kind: 'cancelled' } : { kind: 'failed', error });
      }
    },
    [client],
  );
  const cancel = useCallback(() => running.current?.abort(), []);
  return { state, retrieve, cancel };
}
