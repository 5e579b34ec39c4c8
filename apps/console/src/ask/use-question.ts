import { useCallback, useEffect, useRef, useState } from 'react';
import { useSession } from '../session/session.js';
import { requireStatements, type AnswerWithStatements } from './read-answer.js';

export interface Answered {
  kind: 'answered';
  query: string;
  data: AnswerWithStatements;
  requestId: string;
}

export type QuestionState =
  { kind: 'idle' } | { kind: 'running' } | { kind: 'cancelled' } | { kind: 'failed'; error: unknown } | Answered;

/** One question at a time. Cancelling hangs up, which also ends the work in the server. */
export function useQuestion() {
  const { client } = useSession();
  const [state, setState] = useState<QuestionState>({ kind: 'idle' });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const ask = useCallback(
    async (query: string): Promise<void> => {
      running.current?.abort();
      const controller = new AbortController();
      running.current = controller;
      setState({ kind: 'running' });
      let requestId = '';
      const settle = (outcome: QuestionState): void => {
        // A later question has taken its place.
        if (running.current === controller) setState(outcome);
      };
      try {
        const { data } = await client.reason(
          { query, includeQuotations: true },
          { signal: controller.signal, onResponse: (response) => (requestId = response.requestId) },
        );
        settle({ kind: 'answered', query, data: requireStatements(data), requestId });
      } catch (error) {
        settle(controller.signal.aborted ? { kind: 'cancelled' } : { kind: 'failed', error });
      }
    },
    [client],
  );
  const cancel = useCallback(() => running.current?.abort(), []);
  return { state, ask, cancel };
}
