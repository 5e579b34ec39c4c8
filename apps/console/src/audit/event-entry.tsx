import type { AuditEventView } from '@candor/contracts';
import { Link } from 'react-router';
import { Badge } from '../ui/badge.js';
import { Facts } from '../ui/facts.js';
import { At } from '../ui/time.js';
import { shortId } from '../words/format.js';
import { OUTCOME_TONES, pickFacts } from './describe-event.js';

export function EventEntry({ event }: { event: AuditEventView }) {
  const { action, outcome, createdAt, actorApiKeyId, actorType, targetType, targetId, requestId, seal } = event;
  const isSealed = seal.state === 'sealed';
  return (
    <li className="card">
      <div className="row row-between">
        <h3>
          <code>{action}</code>
        </h3>
        <span className="row">
          <Badge tone={isSealed ? 'good' : undefined}>
            {isSealed ? `sealed in batch ${seal.batch}` : 'not sealed yet'}
          </Badge>
          <Badge tone={OUTCOME_TONES[outcome]}>{outcome}</Badge>
        </span>
      </div>
      {event.erased ? (
        <p className="quiet small">What was asked has been erased since; the seal holds without it.</p>
      ) : null}
      <Facts
        facts={{
          When: <At at={createdAt} />,
          Who: `${actorType}${actorApiKeyId === null ? '' : `, key ${shortId(actorApiKeyId)}`}`,
          Target: targetId === null ? null : `${targetType ?? ''} ${targetId}`,
          ...pickFacts(event),
          Request: <Link to={`/audit?requestId=${requestId}`}>{shortId(requestId)}</Link>,
        }}
      />
      <details>
        <summary>The whole event</summary>
        <pre className="json">{JSON.stringify(event, null, 2)}</pre>
      </details>
    </li>
  );
}
