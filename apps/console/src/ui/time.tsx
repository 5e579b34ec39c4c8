import { formatAgo, formatDateTime } from '../words/format.js';
import { useNow } from '../words/use-now.js';

/** How long ago, and the whole time for who asks. */
export function Ago({ at }: { at: string | null }) {
  const now = useNow();
  if (at === null) return <>never</>;
  return (
    <time dateTime={at} title={formatDateTime(at)}>
      {formatAgo(at, now)}
    </time>
  );
}

export function At({ at }: { at: string }) {
  return <time dateTime={at}>{formatDateTime(at)}</time>;
}
