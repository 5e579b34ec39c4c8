import { useQuery } from '@tanstack/react-query';
import { passageKey, type Passage } from '../items/passage.js';
import { useSession } from '../session/session.js';
import { CitationButton } from '../ui/citation-button.js';
import { ErrorNotice, Loading, Notice } from '../ui/notice.js';
import { formatDate } from '../words/format.js';
import { readContradictions, type Contradiction, type Side } from './read-contradictions.js';

interface ContradictionsProps {
  query: string;
  shown: Passage | null;
  onShow: (passage: Passage) => void;
}

/**
 * Whether the sources disagree about the question. `retrieval_only` compares the evidence and asks no answer provider, so
 * this costs a search.
 */
export function Contradictions({ query, ...shows }: ContradictionsProps) {
  const { client } = useSession();
  const { data, error, isPending } = useQuery({
    queryKey: ['contradictions', query],
    queryFn: async ({ signal }) => {
      const policy = { name: 'retrieval_only', require_certified_evidence: false } as const;
      return readContradictions(await client.reasoning({ query, policy }, { signal }));
    },
    staleTime: 60_000,
  });
  if (isPending) return <Loading what="what sources disagree about" />;
  if (error)
    return (
      <>
        <h2>Do the sources agree?</h2>
        <ErrorNotice error={error} />
      </>
    );
  if (data.length === 0) return <p className="quiet small">No disagreement between the sources was found.</p>;
  return (
    <section className="card" aria-label="Contradictions">
      <h2>The sources disagree</h2>
      <p className="quiet">Both sides as they stand. Nothing here decides which one is right.</p>
      {data.map((contradiction) => (
        <OneContradiction key={contradiction.key} contradiction={contradiction} {...shows} />
      ))}
    </section>
  );
}

function OneContradiction({
  contradiction: { subject, left, right, settledBy },
  ...shows
}: { contradiction: Contradiction } & Omit<ContradictionsProps, 'query'>) {
  return (
    <div className="stack-tight">
      {subject === '' ? null : <h3>{subject} …</h3>}
      <div className="sides">
        <OneSide side={left} {...shows} />
        <OneSide side={right} {...shows} />
      </div>
      {settledBy === null ? null : <Notice title="Declared to settle it">{settledBy}</Notice>}
    </div>
  );
}

function OneSide({ side, shown, onShow }: { side: Side } & Omit<ContradictionsProps, 'query'>) {
  const { chunkId, documentId, documentTitle, quotation, value, sourceDate } = side;
  const passage: Passage = { chunkId, documentId, quotations: [{ quotation, place: null }] };
  return (
    <div className="side">
      {value === null ? null : <strong>{value}</strong>}
      <blockquote className="prose">“{quotation}”</blockquote>
      <span className="quiet small">{sourceDate === null ? 'no date' : formatDate(sourceDate)}</span>
      <CitationButton
        title={documentTitle}
        isShown={shown !== null && passageKey(shown) === passageKey(passage)}
        onPress={() => onShow(passage)}
      />
    </div>
  );
}
