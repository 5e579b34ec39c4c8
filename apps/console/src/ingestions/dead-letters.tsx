import type { DeadLetter } from '@candor/contracts';
import { Link } from 'react-router';
import { useAction } from '../api/use-action.js';
import { useList } from '../api/use-list.js';
import { useSession } from '../session/session.js';
import { Badge } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { Facts } from '../ui/facts.js';
import { ListView } from '../ui/list-view.js';
import { ErrorNotice } from '../ui/notice.js';
import { Ago } from '../ui/time.js';
import { shortId } from '../words/format.js';

const LOOK_AGAIN_MS = 1_500;

export function DeadLetters() {
  const { query, items } = useList('deadLetters', { limit: 20 });
  return (
    <section className="stack-tight" aria-labelledby="dead-letters">
      <h2 id="dead-letters">Dead letters</h2>
      <ListView query={query} items={items} what="dead letters" empty="Nothing ended in an error.">
        {(letter) => <LetterEntry key={letter.id} letter={letter} />}
      </ListView>
    </section>
  );
}

function LetterEntry({ letter }: { letter: DeadLetter }) {
  const { client } = useSession();
  const retry = useAction(async () => {
    const answer = await client.retryDeadLetter({ id: letter.id });
    // What fails for good fails again within moments; the list is to show that.
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    return answer;
  }, ['deadLetters', 'ingestions', 'ingestion']);
  return (
    <li className="card">
      <div className="row row-between">
        <h3>{letter.externalId ?? letter.job}</h3>
        {letter.retriedAt === null ? null : (
          <Badge tone="accent">
            tried again <Ago at={letter.retriedAt} />
          </Badge>
        )}
      </div>
      <p>
        {letter.error.message} <code className="quiet small">{letter.error.type}</code>
      </p>
      <Facts
        facts={{
          Job: <code>{letter.job}</code>,
          Version: letter.version,
          Failed: <Ago at={letter.createdAt} />,
          Source: letter.sourceItemId === null ? null : <Link to={`/items/${letter.sourceItemId}`}>open it</Link>,
          Request: <Link to={`/audit?requestId=${letter.requestId}`}>audit of {shortId(letter.requestId)}</Link>,
        }}
      />
      <div className="row">
        <Button
          size="small"
          isPending={retry.isPending}
          aria-label={`Try again: ${letter.externalId ?? letter.job}`}
          onPress={() => retry.mutate(undefined)}
        >
          Try again
        </Button>
        <span role="status">{retry.isSuccess ? 'Put back to work.' : ''}</span>
      </div>
      {retry.error ? <ErrorNotice error={retry.error} /> : null}
    </li>
  );
}
