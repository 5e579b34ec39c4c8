import { useState } from 'react';
import { PassagePanel, type Passage } from '../items/passage-panel.js';
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
  const [passage, setPassage] = useState<Passage | null>(null);
  return (
    <div className="stack">
      <SearchForm
        isPending={state.kind === 'running'}
        onCancel={cancel}
        onSearch={(request) => {
          setPassage(null);
          void retrieve(request);
        }}
      />
      <div className="split" data-alone={passage === null || undefined}>
        <div className="stack" aria-live="polite" aria-busy={state.kind === 'running'}>
          {state.kind === 'idle' ? <p className="quiet">Nothing was looked for yet.</p> : null}
          {state.kind === 'running' ? <Loading what="the context" /> : null}
          {state.kind === 'cancelled' ? <p>Cancelled.</p> : null}
          {state.kind === 'failed' ? <ErrorNotice error={state.error} /> : null}
          {state.kind === 'contract' ? (
            <ContractView contract={state.contract} shown={passage} onShow={setPassage} />
          ) : null}
          {state.kind === 'search' ? <PlainSearch response={state.response} requestId={state.requestId} /> : null}
        </div>
        {passage ? (
          <aside aria-label="Source">
            <PassagePanel key={passage.chunkId} passage={passage} onClose={() => setPassage(null)} />
          </aside>
        ) : null}
      </div>
    </div>
  );
}
