import type { ReasonData } from '@candor/contracts';
import { Link } from 'react-router';
import { passageKey, type Passage } from '../items/passage.js';
import { CitationButton } from '../ui/citation-button.js';
import { Notice } from '../ui/notice.js';
import { formatCount, formatMilliseconds } from '../words/format.js';
import { readAnswer, type Statement } from './read-answer.js';
import type { Answered } from './use-question.js';

interface AnswerProps {
  answered: Answered;
  /** The passage that is open beside it. */
  shown: Passage | null;
  onShow: (passage: Passage) => void;
}

const REFUSALS = {
  no_evidence: {
    title: 'No answer: nothing relevant was found',
    text: 'Nothing that this key may see is close enough to the question. That does not mean that there is nothing.',
  },
  no_statement: {
    title: 'No answer: nothing could be linked to its source',
    text: 'Passages were found, but no statement about them could be proved by their words, so none is shown.',
  },
} as const;

export function Answer({ answered: { data, requestId }, shown, onShow }: AnswerProps) {
  const read = readAnswer(data);
  return (
    <section className="card" aria-label="Answer">
      {read.kind === 'refused' ? (
        <Notice tone="warn" title={REFUSALS[read.reason].title}>
          {REFUSALS[read.reason].text}
        </Notice>
      ) : (
        <ol>
          {read.statements.map((statement, index) => (
            <StatementEntry key={index} statement={statement} shown={shown} onShow={onShow} />
          ))}
        </ol>
      )}
      <Gaps data={data} isRefused={read.kind === 'refused'} />
      <AnswerFoot data={data} requestId={requestId} />
    </section>
  );
}

interface StatementEntryProps extends Omit<AnswerProps, 'answered'> {
  statement: Statement;
}

function StatementEntry({ statement: { text, citations, isRephrased, withheld }, shown, onShow }: StatementEntryProps) {
  return (
    <li className="statement">
      <p className="prose">{text}</p>
      {isRephrased ? <Quotations citations={citations} /> : null}
      {withheld === 0 ? null : (
        <p className="quiet small">
          {formatCount(withheld, 'quotation')} withheld: the source was deleted meanwhile, or this key may not see it
          any more.
        </p>
      )}
      <div className="row">
        {citations.map(({ number, chunkId, documentId, documentTitle, quotations }) => {
          const passage: Passage = { chunkId, documentId, quotations };
          return (
            <CitationButton
              key={chunkId}
              number={number}
              title={documentTitle}
              isShown={shown !== null && passageKey(shown) === passageKey(passage)}
              onPress={() => onShow(passage)}
            />
          );
        })}
      </div>
    </li>
  );
}

/** Where a model found words of its own: what the sources say, as they say it. */
function Quotations({ citations }: Pick<Statement, 'citations'>) {
  return (
    <ul className="quotations" aria-label="What the sources say">
      {citations.flatMap(({ number, quotations }) =>
        quotations.map(({ quotation, place }) => (
          <li key={`${number} ${place?.start} ${quotation}`} className="quotation">
            <blockquote>“{quotation}”</blockquote>
            <span className="quiet small">
              <span className="visually-hidden">Source </span>
              {number}
            </span>
          </li>
        )),
      )}
    </ul>
  );
}

/** Of a refusal the server's own sentence is the gap: said once is enough. */
function Gaps({ data, isRefused }: { data: ReasonData; isRefused: boolean }) {
  const gaps = data.gaps.filter((gap) => !isRefused || gap !== data.answer);
  if (gaps.length === 0) return null;
  return (
    <Notice title="What the answer does not cover">
      <ul>
        {gaps.map((gap) => (
          <li key={gap}>{gap}</li>
        ))}
      </ul>
    </Notice>
  );
}

function AnswerFoot({ data: { meta }, requestId }: { data: ReasonData; requestId: string }) {
  return (
    <p className="quiet small">
      {formatCount(meta.chunksGathered, 'passage')} considered,{' '}
      {meta.citationsDropped === 0
        ? 'no citation withheld'
        : `${formatCount(meta.citationsDropped, 'citation')} withheld because the words are not in the source`}
      , {formatMilliseconds(meta.latencyMs)}. <Link to={`/audit?requestId=${requestId}`}>Audit of this request</Link>
    </p>
  );
}
