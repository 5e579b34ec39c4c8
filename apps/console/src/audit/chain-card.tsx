import type { AuditChain, AuditVerification } from '@candor/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useSession } from '../session/session.js';
import { Badge } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { Facts } from '../ui/facts.js';
import { ErrorNotice, Loading, Notice } from '../ui/notice.js';
import { Ago, At } from '../ui/time.js';
import { formatCount, formatNumber } from '../words/format.js';
import { addVerification, describeChain, type ChainCheck } from './describe-chain.js';

const POLL_MS = 15_000;

/** How far the trail is sealed, and whether the seals hold: the server recomputes them when somebody asks. */
export function ChainCard() {
  const { client } = useSession();
  const { data, error, isPending } = useQuery({
    queryKey: ['auditChain'],
    queryFn: async ({ signal }) => (await client.auditChain({}, { signal })).data,
    refetchInterval: POLL_MS,
  });
  const verify = useMutation({
    mutationFn: async () => {
      let check: ChainCheck | undefined;
      // A request looks at a bounded number of batches.
      for (let fromBatch: number | null = 1; fromBatch !== null;) {
        const part: AuditVerification = (await client.verifyAudit({ fromBatch })).data;
        check = addVerification(check, part);
        fromBatch = part.nextBatch;
      }
      return check;
    },
  });
  return (
    <section className="card" aria-labelledby="chain">
      <div className="row row-between">
        <h2 id="chain">The chain</h2>
        <Button size="small" isPending={verify.isPending} onPress={() => verify.mutate()}>
          Verify it now
        </Button>
      </div>
      {isPending ? <Loading what="the state of the chain" /> : null}
      {error ? <ErrorNotice error={error} /> : null}
      {data ? <Known chain={data} /> : null}
      <div aria-live="polite" className="stack-tight">
        {verify.error ? <ErrorNotice error={verify.error} /> : null}
        {verify.data ? <Outcome check={verify.data} /> : null}
      </div>
    </section>
  );
}

function Known({ chain }: { chain: AuditChain }) {
  return (
    <>
      {chain.brokenSince === null ? null : <Broken since={chain.brokenSince} />}
      <p>{describeChain(chain)}</p>
      <Facts
        facts={{
          Sealed: formatNumber(chain.sealedEvents),
          'Not sealed': formatNumber(chain.unsealedEvents),
          Batches: formatNumber(chain.batches),
          'Expired batches': chain.expiredBatches > 0 ? formatNumber(chain.expiredBatches) : null,
          'Last seal': chain.head === null ? 'none' : <Ago at={chain.head.sealedAt} />,
          Head: chain.head === null ? null : <code>{chain.head.digest}</code>,
          'Signed by': chain.head === null ? null : <code>{chain.head.keyId}</code>,
        }}
      />
    </>
  );
}

/** Whoever runs it reads more in the runbook of the alert about it; here is what anybody who sees this has to know. */
function Broken({ since }: { since: string }) {
  return (
    <div role="alert">
      <Notice tone="bad" title="The chain is broken">
        <div className="stack-tight">
          <p>
            It is not continued since <At at={since} /> (<Ago at={since} />
            ): its end is not as it was sealed. Verify it to see what differs.
          </p>
          <p>
            Most often a signing key is missing from <code>CANDOR_AUDIT_KEYS</code>, or a backup was restored beside
            another one’s keys: with the key back, all that waits is sealed. Otherwise treat it as an attack on the
            database: keep a copy of it as it is, and compare with the heads kept elsewhere.
          </p>
        </div>
      </Notice>
    </div>
  );
}

function Outcome({ check: { intact, findings, events, batches } }: { check: ChainCheck }) {
  if (intact)
    return (
      <Notice tone="good" title="Verified: nothing was altered">
        {formatCount(events, 'event')} in {formatCount(batches, 'batch', 'batches')} are as they were sealed.
      </Notice>
    );
  return (
    <Notice tone="bad" title="The chain does not hold">
      <ul>
        {findings.map(({ type, batch, eventId, message }) => (
          <li key={`${type} ${batch} ${eventId}`}>
            <Badge tone="bad">{type.replaceAll('_', ' ')}</Badge> {batch === null ? '' : `Batch ${batch}. `}
            {message} {eventId === null ? null : <code>{eventId}</code>}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
