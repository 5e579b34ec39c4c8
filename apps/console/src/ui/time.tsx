import { formatAgo, formatDateTime } from '../words/format.js';

/** How long ago, and the whole time for who asks. */
export function Ago({ at }: { at: string | null }) {
  if (at === null) return <>never</>;
  return (
    <time dateTime={at} title={formatDateTime(at)}>
      {formatAgo(at, Date.now())}
    </time>
  );
}

export function At({ at }: { at: string }) {
  return <time dateTime={at}>{formatDateTime(at)}</time>;
}
