import { useMutation } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { v4 as randomUuid } from 'uuid';
import { useSession } from '../session/session.js';
import { takeTurns } from './take-turns.js';

/** Over HTTP/1.1 a browser has six connections to one origin, and the page itself needs some of them. */
const takeTurn = takeTurns(3);

export type UploadPhase = 'waiting' | 'sending' | 'cancelled' | 'failed';

/** Sends one file when its turn comes, and again when it is asked to. `requestId` is there once the server has accepted it. */
export function useUpload(file: File) {
  const { client } = useSession();
  const [isSending, setSending] = useState(false);
  // The same for each try: where only the answer was lost, the file is not stored twice.
  const [idempotencyKey] = useState(() => randomUuid());
  const { mutate, data, error } = useMutation({
    mutationFn: async (signal: AbortSignal) => {
      const accepted = await takeTurn(() => {
        setSending(true);
        return client.uploadDocument({ fileName: file.name, content: file }, { signal, idempotencyKey });
      }, signal);
      return accepted.data.requestId;
    },
    onSettled: () => setSending(false),
  });
  const running = useRef<AbortController>(undefined);
  const send = useCallback(() => {
    running.current = new AbortController();
    mutate(running.current.signal);
  }, [mutate]);
  useEffect(() => {
    // Strict mode mounts twice, and a file is to be sent once.
    if (!running.current) send();
  }, [send]);
  const cancel = useCallback(() => running.current?.abort(), []);
  return { phase: phaseOf(error, isSending), requestId: data, error, send, cancel };
}

function phaseOf(error: Error | null, isSending: boolean): UploadPhase {
  if (error === null) return isSending ? 'sending' : 'waiting';
  // What `abort()` gives as the reason; the client throws it as it is.
  return error.name === 'AbortError' ? 'cancelled' : 'failed';
}
