import type { SourceItem } from '@candor/contracts';
import { useQuery } from '@tanstack/react-query';
import { describeFreshness, describeValidity } from '../context/describe-contract.js';
import { useSession } from '../session/session.js';
import { Badge } from '../ui/badge.js';
import { Facts } from '../ui/facts.js';
import { ErrorNotice, Loading } from '../ui/notice.js';
import { At } from '../ui/time.js';
import { safeLink } from '../words/safe-link.js';
import { PROVIDER_NAMES } from '../words/provider-names.js';

export function useItem(id: string) {
  const { client } = useSession();
  return useQuery({ queryKey: ['sourceItem', id], queryFn: ({ signal }) => client.sourceItem({ id }, { signal }) });
}

/** Where a source comes from, how old it is and who may see it. */
export function ItemFacts({ id }: { id: string }) {
  const { data, error, isPending } = useItem(id);
  if (isPending) return <Loading what="the source" />;
  if (error) return <ErrorNotice error={error} />;
  return <KnownItem item={data} />;
}

function KnownItem({ item }: { item: SourceItem }) {
  const { validFrom, validUntil } = item.validity;
  const validity = describeValidity({ validFrom, validUntil, state: stateNow(item) });
  return (
    <div className="stack-tight">
      <div className="row">
        <strong>{item.title}</strong>
        <Badge tone="accent">{PROVIDER_NAMES[item.provider]}</Badge>
        {item.status === 'indexed' ? null : <Badge tone="warn">{item.status}</Badge>}
      </div>
      <Facts
        facts={{
          Version: item.version === null ? 'not searchable yet' : `${item.version} of ${item.versions.length}`,
          Author: item.authorName ?? 'unknown',
          Written: item.sourceCreatedAt ? <At at={item.sourceCreatedAt} /> : null,
          Changed: item.sourceUpdatedAt ? <At at={item.sourceUpdatedAt} /> : null,
          Freshness: describeFreshness(item.freshness),
          Validity: validity,
          Access: describeAccess(item),
          Address: <Address url={item.url} />,
        }}
      />
    </div>
  );
}

function stateNow({ validity: { validFrom, validUntil } }: SourceItem) {
  if (validFrom !== null && Date.parse(validFrom) > Date.now()) return 'not_yet_valid';
  return validUntil !== null && Date.parse(validUntil) <= Date.now() ? 'expired' : 'valid';
}

function describeAccess({ accessPolicy }: SourceItem): string {
  if (accessPolicy === null) return 'unknown';
  if (accessPolicy.mode === 'provider_scope') return 'everybody who may read the provider';
  const { principals = [] } = accessPolicy;
  return principals.length === 0 ? 'nobody' : principals.join(', ');
}

/** Only http and https become a link; anything else a document names as its address stays text. */
export function Address({ url }: { url: string | null }) {
  const href = safeLink(url);
  if (url === null) return <>none</>;
  if (href === undefined) return <>{url}</>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {url}
      <span className="visually-hidden"> (opens in a new tab)</span>
    </a>
  );
}
