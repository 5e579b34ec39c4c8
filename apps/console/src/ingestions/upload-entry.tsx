import type { IngestionStatus } from '@candor/contracts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link } from 'react-router';
import { usePolling } from '../api/use-polling.js';
import { useSession } from '../session/session.js';
import { Button } from '../ui/button.js';
import { ErrorNotice, Notice } from '../ui/notice.js';
import { Progress } from '../ui/progress.js';
import { StateBadge } from '../ui/state-badge.js';
import { describeUpload, type UploadStage } from './describe-upload.js';
import { useUpload } from './use-upload.js';

/** One file: until the server has accepted it, and from then on. */
export function UploadEntry({ file }: { file: File }) {
  const { phase, requestId, error, send, cancel } = useUpload(file);
  if (requestId !== undefined) return <Accepted file={file} requestId={requestId} />;
  const isOver = phase === 'failed' || phase === 'cancelled';
  return (
    <li className="card">
      <div className="row row-between">
        <strong>{file.name}</strong>
        {phase === 'cancelled' ? <StateBadge state="cancelled" /> : null}
      </div>
      {phase === 'failed' ? <ErrorNotice error={error} /> : null}
      {phase === 'cancelled' ? <p className="quiet">Cancelled before the server had answered.</p> : null}
      {isOver ? (
        <div>
          <Button size="small" aria-label={`Try again: ${file.name}`} onPress={send}>
            Try again
          </Button>
        </div>
      ) : (
        <>
          <Stage phase={phase} status={undefined} />
          <div>
            <Button size="small" aria-label={`Cancel ${file.name}`} onPress={cancel}>
              Cancel
            </Button>
          </div>
        </>
      )}
    </li>
  );
}

/** Read, cut and indexed by the server, each stage as it comes. */
function Accepted({ file, requestId }: { file: File; requestId: string }) {
  const { client, allows } = useSession();
  const queries = useQueryClient();
  const refetchInterval = usePolling<IngestionStatus>(({ done }) => !done);
  const { data, error } = useQuery({
    queryKey: ['ingestion', requestId],
    queryFn: ({ signal }) => client.ingestion({ requestId }, { signal }),
    enabled: allows('ingest'),
    refetchInterval,
  });
  const isDone = data?.done ?? false;
  useEffect(() => {
    if (isDone) for (const name of ['ingestions', 'deadLetters']) void queries.invalidateQueries({ queryKey: [name] });
  }, [isDone, queries]);
  const item = data?.items[0];
  return (
    <li className="card">
      <div className="row row-between">
        <strong>{file.name}</strong>
        {item ? <StateBadge state={item.status} /> : null}
      </div>
      {error ? <ErrorNotice error={error} /> : <Stage phase="sent" status={item?.status} />}
      {item?.error ? (
        <Notice tone="bad" title="It could not be read">
          {item.error.message}
        </Notice>
      ) : null}
      {item?.status === 'indexed' ? (
        <div>
          <Link to={`/items/${item.sourceItemId}`}>Open it</Link>
        </div>
      ) : null}
    </li>
  );
}

function Stage(stage: UploadStage) {
  const { label, step, steps, text } = describeUpload(stage);
  return <Progress label={label} value={step} max={steps} text={text} />;
}
