import type { ContextContract11 } from '@candor/contracts';
import { Address } from '../items/item-facts.js';
import { Badge } from '../ui/badge.js';
import { CitationButton } from '../ui/citation-button.js';
import { Facts } from '../ui/facts.js';
import { PROVIDER_NAMES } from '../words/provider-names.js';
import { describeFreshness, describeValidity } from './describe-contract.js';

interface HitEntryProps {
  hit: ContextContract11['hits'][number];
  number: number;
  isShown: boolean;
  onShow: () => void;
}

export function HitEntry({ hit, number, isShown, onShow }: HitEntryProps) {
  const { dense, lexical, fused } = hit.ranking;
  const validity = describeValidity(hit.validity);
  return (
    <li className="card">
      <div className="row row-between">
        <h3>
          {number}. {hit.title}
        </h3>
        <Badge tone="accent">{PROVIDER_NAMES[hit.provider]}</Badge>
      </div>
      <p className="excerpt">{hit.content}</p>
      <Facts
        facts={{
          Score: hit.score.toFixed(4),
          'By meaning': dense === null ? 'not found' : dense.toFixed(3),
          'By words': lexical === null ? 'not found' : lexical.toFixed(2),
          Together: fused.toFixed(3),
          Freshness: describeFreshness(hit.freshness),
          Version: hit.version,
          Validity: validity,
          Access: hit.accessPolicy === null ? 'unknown' : null,
          Address: hit.url === null ? null : <Address url={hit.url} />,
        }}
      />
      <div>
        <CitationButton title="Read it in its source" isShown={isShown} onPress={onShow} />
      </div>
    </li>
  );
}
