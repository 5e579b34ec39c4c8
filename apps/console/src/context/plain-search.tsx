import type { SearchResponse } from '@candor/contracts';
import { Link } from 'react-router';
import { Badge } from '../ui/badge.js';
import { Facts } from '../ui/facts.js';
import { Empty } from '../ui/notice.js';
import { formatCount } from '../words/format.js';
import { PROVIDER_NAMES } from '../words/provider-names.js';
import { describeFreshness } from './describe-contract.js';

/** The same retrieval without the envelope: what it leaves out, it doesn't say. */
export function PlainSearch({ response: { hits }, requestId }: { response: SearchResponse; requestId: string }) {
  return (
    <>
      <p>
        {formatCount(hits.length, 'hit')} found. <Link to={`/audit?requestId=${requestId}`}>Audit of this request</Link>
      </p>
      {hits.length === 0 ? <Empty>Nothing that this key may see is relevant to the question.</Empty> : null}
      <ol className="records" aria-label="Hits">
        {hits.map((hit) => (
          <li className="card" key={hit.sourceItemId}>
            <div className="row row-between">
              <h3>{hit.title}</h3>
              <Badge tone="accent">{PROVIDER_NAMES[hit.provider]}</Badge>
            </div>
            <p className="excerpt">{hit.content}</p>
            <Facts facts={{ Score: hit.score.toFixed(4), Freshness: describeFreshness(hit.freshness) }} />
            <Link to={`/items/${hit.sourceItemId}`}>Open the source</Link>
          </li>
        ))}
      </ol>
    </>
  );
}
