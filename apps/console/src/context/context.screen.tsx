import { PassagePanel } from '../items/passage-panel.js';
import { usePassage } from '../items/use-passage.js';
import { Guarded } from '../ui/guarded.js';
import { ErrorNotice, Loading } from '../ui/notice.js';
import { PageHeader } from '../ui/page-header.js';
import { ContractView } from './contract-view.js';
import { PlainSearch } from './plain-search.js';
import { SearchForm } from './search-form.js';
import { useRetrieval } from './use-retrieval.js';

export function ContextScreen() {
  return (
    <>
      <PageHeader title="Context">
        What an agent would be given for a question: the hits, how fresh they are, and what was left out and why.
      </PageHeader>
      <Guarded action="context">
        <Retrieval />
      </Guarded>
    </>
  );
}

function Retrieval() {
  const { state, retrieve, cancel } = useRetrieval();
  const { passage, show, close, clear } = usePassage();
  return (
    <div className="stack">
      <SearchForm
        isPending={state.kind === 'running'}
        onCancel={cancel}
        onSearch={(request) => {
          clear();
          void retrieve(request);
        }}
      />
      <div className="split" data-alone={passage === null || undefined}>
        <div className="stack" aria-live="polite" aria-busy={state.kind === 'running'}>
          {state.kind === 'idle' ? <p className="quiet">Nothing was looked for yet.</p> : null}
          {state.kind === 'running' ? <Loading what="the context" /> : null}
          {state.kind === 'cancelled' ? <p>Cancelled.</p> : null}
          {state.kind === 'failed' ? <ErrorNotice error={state.error} /> : null}
          {state.kind === 'contract' ? <ContractView contract={state.contract} shown={passage} onShow={show} /> : null}
          {state.kind === 'search' ? <PlainSearch response={state.response} requestId={state.requestId} /> : null}
        </div>
        {passage ? (
          <aside aria-label="Source">
            <PassagePanel key={passage.chunkId} passage={passage} onClose={close} />
          </aside>
        ) : null}
      </div>
    </div>
  );
}
