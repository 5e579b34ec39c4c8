import type { IngestionStatus } from '@candor/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { usePolling } from '../api/use-polling.js';
import { useSession } from '../session/session.js';
import { Button } from '../ui/button.js';
import { ErrorNotice, Notice } from '../ui/notice.js';
import { Progress } from '../ui/progress.js';
import { StateBadge } from '../ui/state-badge.js';
import { describeUpload } from './describe-upload.js';

const DEADLINE_MS = 10 * 60_000;

/** One file on its way: sent, then read, cut and indexed by the server, each stage as it comes. */
export function UploadEntry({ file }: { file: File }) {
  const { client, allows } = useSession();
  const queries = useQueryClient();
  const send = useMutation({
    mutationFn: async (signal: AbortSignal) =>
      (await client.uploadDocument({ fileName: file.name, content: file }, { signal, deadlineMs: DEADLINE_MS })).data,
  });
  const sending = useRef<AbortController>(undefined);
  const { mutate } = send;
  useEffect(() => {
    // Strict mode mounts twice, and a file is to be sent once.
    if (sending.current) return;
    sending.current = new AbortController();
    mutate(sending.current.signal);
  }, [mutate]);
  const requestId = send.data?.requestId;
  const refetchInterval = usePolling<IngestionStatus>(({ done }) => !done);
  const { data, error } = useQuery({
    queryKey: ['ingestion', requestId],
    queryFn: ({ signal }) => client.ingestion({ requestId: requestId ?? '' }, { signal }),
    enabled: requestId !== undefined && allows('ingest'),
    refetchInterval,
  });
  const isDone = data?.done ?? false;
  useEffect(() => {
    if (isDone) for (const name of ['ingestions', 'deadLetters']) void queries.invalidateQueries({ queryKey: [name] });
  }, [isDone, queries]);
  const item = data?.items[0];
  const state = describeUpload({ isSent: send.isSuccess, status: item?.status });
  const failure = send.error ?? error;
  return (
    <li className="card">
      <div className="row row-between">
        <strong>{file.name}</strong>
        {item ? <StateBadge state={item.status} /> : null}
      </div>
      {failure ? (
        <ErrorNotice error={failure} />
      ) : (
        <Progress label={state.label} value={state.step} max={state.steps} text={state.text} />
      )}
      {item?.error ? (
        <Notice tone="bad" title="It could not be read">
          {item.error.message}
        </Notice>
      ) : null}
      <div className="row">
        {send.isPending ? (
          <Button size="small" onPress={() => sending.current?.abort()}>
            Cancel
          </Button>
        ) : null}
        {item?.status === 'indexed' ? <Link to={`/items/${item.sourceItemId}`}>Open it</Link> : null}
      </div>
    </li>
  );
}
