import type { Generation } from '@candor/contracts';
import { Facts } from '../ui/facts.js';
import { Notice } from '../ui/notice.js';
import { Progress } from '../ui/progress.js';
import { StateBadge } from '../ui/state-badge.js';
import { Ago } from '../ui/time.js';
import { formatDuration, formatNumber, shortId } from '../words/format.js';
import { GenerationActions } from './generation-actions.js';

export const isMoving = ({ state }: Generation): boolean => state === 'building' || state === 'retiring';

export function GenerationEntry({ generation }: { generation: Generation }) {
  const { embedding, progress, drift, error, reconciliation } = generation;
  return (
    <li className="card">
      <div className="row row-between">
        <h3>{generation.name ?? `Build ${shortId(generation.id)}`}</h3>
        <StateBadge state={generation.state} />
      </div>
      {generation.state === 'building' ? (
        <Progress
          label="Building"
          value={progress.itemsDone}
          max={progress.itemsTotal}
          text={`${formatNumber(progress.itemsDone)} of ${formatNumber(progress.itemsTotal)}${progress.etaSeconds === null ? '' : `, done in ${formatDuration(progress.etaSeconds)}`}`}
        />
      ) : null}
      {drift.length > 0 ? (
        <Notice tone="warn" title="It differs from what the workers are configured with">
          In its {drift.join(', ')}. Build a new generation to change over.
        </Notice>
      ) : null}
      {error ? (
        <Notice tone="bad" title="It failed">
          {error.message}
        </Notice>
      ) : null}
      <Facts
        facts={{
          Items: `${formatNumber(progress.itemsDone)} of ${formatNumber(progress.itemsTotal)}`,
          Model: embedding === null ? 'not opened yet' : `${embedding.model}, ${embedding.dimensions} dimensions`,
          Recipe: <Fingerprint of={generation.pipelineFingerprint} />,
          Corpus: <Fingerprint of={generation.corpusFingerprint} />,
          Created: <Ago at={generation.createdAt} />,
          Promoted: generation.promotedAt === null ? null : <Ago at={generation.promotedAt} />,
          Retired: generation.retiredAt === null ? null : <Ago at={generation.retiredAt} />,
          Compared:
            reconciliation === null ? null : (
              <>
                <Ago at={reconciliation.at} />: {reconciliation.missing} missing, {reconciliation.outdated} outdated,{' '}
                {reconciliation.dangling} dangling, repaired
              </>
            ),
        }}
      />
      <GenerationActions generation={generation} />
    </li>
  );
}

function Fingerprint({ of }: { of: string | null }) {
  return of === null ? <>unknown</> : <code title={of}>{shortId(of)}</code>;
}
