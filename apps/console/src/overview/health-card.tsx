import { ConnectionError } from '@candor/client';
import { useQuery } from '@tanstack/react-query';
import { Badge } from '../ui/badge.js';
import { ErrorNotice, Loading } from '../ui/notice.js';
import { describePart, HEALTH_WORDS, readHealth } from './read-health.js';

const POLL_MS = 10_000;

/** Takes no key: the probe of whoever runs it. 503 is an answer, too. */
async function askHealth(signal: AbortSignal) {
  const response = await fetch('/readyz', { signal, headers: { accept: 'application/json' } }).catch(
    (cause: unknown) => {
      throw signal.aborted ? cause : new ConnectionError('unreachable', { cause });
    },
  );
  return readHealth(await response.json().catch(() => null));
}

export function HealthCard() {
  const { data, error, isPending } = useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => askHealth(signal),
    refetchInterval: POLL_MS,
  });
  return (
    <section className="card" aria-labelledby="health">
      <h2 id="health">Health</h2>
      {isPending ? <Loading what="the health report" /> : null}
      {error ? <ErrorNotice error={error} /> : null}
      {data && !error ? (
        <>
          <p role="status">
            <Badge tone={data.status === 'ok' ? 'good' : data.status === 'unavailable' ? 'bad' : 'warn'}>
              {HEALTH_WORDS[data.status]}
            </Badge>
          </p>
          <ul className="row" aria-label="Parts">
            {data.parts.map(({ name, works }) => (
              <li key={name}>
                <Badge tone={works ? 'good' : 'bad'}>
                  {describePart(name)}: {works ? 'works' : 'fails'}
                </Badge>
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </section>
  );
}
