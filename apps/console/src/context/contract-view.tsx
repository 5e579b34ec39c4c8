import type { ContextContract11 } from '@candor/contracts';
import { Link } from 'react-router';
import type { Passage } from '../items/passage.js';
import { Badge } from '../ui/badge.js';
import { Facts } from '../ui/facts.js';
import { Empty } from '../ui/notice.js';
import { At } from '../ui/time.js';
import { formatMilliseconds, formatNumber, shortId } from '../words/format.js';
import { describeExtent, EXCLUSION_WORDS, LIMITATION_TITLES, summarizeContract } from './describe-contract.js';
import { HitEntry } from './hit-entry.js';

interface ContractViewProps {
  contract: ContextContract11;
  shown: Passage | null;
  onShow: (passage: Passage) => void;
}

/** The Context Contract as a person reads it: found, left out, to be borne in mind, and how it came about. */
export function ContractView({ contract, shown, onShow }: ContractViewProps) {
  const { hits, exclusions, limitations } = contract;
  return (
    <>
      <p>{summarizeContract(contract)}</p>
      <section className="stack-tight" aria-label="Hits">
        <h2>Found</h2>
        {hits.length === 0 ? <Empty>Nothing that this key may see is relevant to the question.</Empty> : null}
        <ol className="records">
          {hits.map((hit, index) => (
            <HitEntry
              key={hit.chunkId}
              hit={hit}
              number={index + 1}
              isShown={shown?.chunkId === hit.chunkId}
              onShow={() => onShow({ chunkId: hit.chunkId, documentId: hit.sourceItemId, quotations: [] })}
            />
          ))}
        </ol>
      </section>
      <Exclusions exclusions={exclusions} />
      {limitations.length > 0 ? (
        <section className="card" aria-label="Limitations">
          <h2>To bear in mind</h2>
          <ul className="stack-tight">
            {limitations.map(({ code, message }) => (
              <li key={code}>
                <strong>{LIMITATION_TITLES[code]}.</strong> {message}
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      <Provenance contract={contract} />
    </>
  );
}

function Exclusions({ exclusions }: Pick<ContextContract11, 'exclusions'>) {
  return (
    <section className="card" aria-label="Left out">
      <h2>Left out, and why</h2>
      {exclusions.length === 0 ? <p className="quiet">Nothing.</p> : null}
      <ul className="stack-tight">
        {exclusions.map((exclusion) => {
          const { title, meaning, isDefect } = EXCLUSION_WORDS[exclusion.type];
          const extent = describeExtent(exclusion);
          return (
            <li key={`${exclusion.type} ${exclusion.provider} ${exclusion.reason}`}>
              <div className="row">
                <strong>{title}</strong>
                {extent === '' ? null : <span>{extent}</span>}
                {isDefect ? <Badge tone="warn">a lack</Badge> : null}
              </div>
              <p className="quiet small">{meaning}</p>
              {isDefect ? <p className="small">{exclusion.reason}</p> : null}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Provenance({ contract: { contract, retrieval } }: { contract: ContextContract11 }) {
  return (
    <section className="card" aria-label="How it came about">
      <h2>How it came about</h2>
      <Facts
        facts={{
          Strategy: retrieval.strategy,
          Took: formatMilliseconds(retrieval.tookMs),
          'Passages compared': formatNumber(retrieval.candidates),
          'Vectors compared': retrieval.exact ? 'all that the key may see' : 'the likely ones',
          Generation: retrieval.generationId === null ? 'none' : <code>{shortId(retrieval.generationId)}</code>,
          Corpus: <code title={retrieval.corpusFingerprint}>{shortId(retrieval.corpusFingerprint)}</code>,
          Issued: <At at={contract.issuedAt} />,
          Request: <Link to={`/audit?requestId=${contract.requestId}`}>audit of {shortId(contract.requestId)}</Link>,
        }}
      />
    </section>
  );
}
