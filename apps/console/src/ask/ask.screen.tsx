import { passageKey } from '../items/passage.js';
import { PassagePanel } from '../items/passage-panel.js';
import { usePassage } from '../items/use-passage.js';
import { Guarded } from '../ui/guarded.js';
import { ErrorNotice } from '../ui/notice.js';
import { PageHeader } from '../ui/page-header.js';
import { Answer } from './answer.js';
import { Contradictions } from './contradictions.js';
import { QuestionForm } from './question-form.js';
import { useQuestion } from './use-question.js';

export function AskScreen() {
  return (
    <>
      <PageHeader title="Ask">
        Each statement of an answer rests on words of a source. Open it to see them there: that a source says so is
        proved, that it is right is yours to weigh.
      </PageHeader>
      <Guarded action="reason">
        <Questions />
      </Guarded>
    </>
  );
}

function Questions() {
  const { state, ask, cancel } = useQuestion();
  const { passage, show, close, clear } = usePassage();
  const askAnew = (query: string): void => {
    clear();
    void ask(query);
  };
  return (
    <div className="stack">
      <QuestionForm isPending={state.kind === 'running'} onAsk={askAnew} onCancel={cancel} />
      <div className="split" data-alone={passage === null || undefined}>
        <div className="stack" aria-live="polite" aria-busy={state.kind === 'running'}>
          {state.kind === 'idle' ? (
            <p className="quiet">
              In the demo workspace, try “What did we decide about the brand color?” or “What is the API rate limit?”.
            </p>
          ) : null}
          {state.kind === 'running' ? (
            <p className="loading">
              <span className="spinner" aria-hidden="true" />
              Searching, and checking each quotation …
            </p>
          ) : null}
          {state.kind === 'cancelled' ? <p>Cancelled. Nothing was answered.</p> : null}
          {state.kind === 'failed' ? <ErrorNotice error={state.error} /> : null}
          {state.kind === 'answered' ? (
            <>
              <Answer answered={state} shown={passage} onShow={show} />
              {state.data.meta.chunksGathered === 0 ? null : (
                <Contradictions query={state.query} shown={passage} onShow={show} />
              )}
            </>
          ) : null}
        </div>
        {passage ? (
          <aside aria-label="Source">
            <PassagePanel key={passageKey(passage)} passage={passage} onClose={close} />
          </aside>
        ) : null}
      </div>
    </div>
  );
}
