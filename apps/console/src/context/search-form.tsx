import type { Provider } from '@candor/contracts';
import { useState, type SubmitEvent } from 'react';
import { useList } from '../api/use-list.js';
import { useSession } from '../session/session.js';
import { Button } from '../ui/button.js';
import { Checkbox, Choices } from '../ui/checkbox.js';
import { Select } from '../ui/select.js';
import { TextField } from '../ui/text-field.js';
import { PROVIDER_NAMES, PROVIDERS } from '../words/provider-names.js';
import type { RetrievalRequest } from './use-retrieval.js';

interface SearchFormProps {
  isPending: boolean;
  onSearch: (request: RetrievalRequest) => void;
  onCancel: () => void;
}

const RANKINGS = { similarity: 'By likeness of meaning', fused: 'By meaning and words together' } as const;

export function SearchForm({ isPending, onSearch, onCancel }: SearchFormProps) {
  const [query, setQuery] = useState('');
  const [problem, setProblem] = useState<string>();
  const [providers, setProviders] = useState<Provider[]>(PROVIDERS);
  const [collectionId, setCollectionId] = useState('');
  const [ranking, setRanking] = useState<keyof typeof RANKINGS>('similarity');
  const [knownAsOf, setKnownAsOf] = useState('');
  const [envelope, setEnvelope] = useState(true);
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const found = query.trim() === '' ? 'Write what to look for first.' : undefined;
    setProblem(found);
    if (found) return;
    onSearch({
      query: query.trim(),
      ranking,
      envelope,
      // All of them is no filter: then the contract also says which ones the key may not read.
      ...(providers.length === 0 || providers.length === PROVIDERS.length ? {} : { providers }),
      ...(collectionId === '' ? {} : { collectionId }),
      ...(knownAsOf === '' ? {} : { knownAsOf: new Date(knownAsOf).toISOString() }),
    });
  };
  return (
    <form className="card" onSubmit={submit}>
      <TextField label="What to look for" value={query} onChange={setQuery} error={problem} maxLength={2_000} />
      <details>
        <summary>Filters and order</summary>
        <div className="stack">
          <Choices label="Providers" options={PROVIDER_NAMES} value={providers} onChange={setProviders} />
          <div className="fields">
            <CollectionChoice value={collectionId} onChange={setCollectionId} />
            <Select label="Order" options={RANKINGS} value={ranking} onChange={setRanking} />
            <TextField
              label="As known at"
              type="datetime-local"
              value={knownAsOf}
              onChange={setKnownAsOf}
              hint="What was recorded by then; empty = now."
            />
          </div>
          <Checkbox isSelected={envelope} onChange={setEnvelope}>
            Say what was left out and why (the Context Contract)
          </Checkbox>
        </div>
      </details>
      <div className="form-actions">
        <Button type="submit" variant="primary" isDisabled={isPending}>
          Search
        </Button>
        {isPending ? <Button onPress={onCancel}>Cancel</Button> : null}
      </div>
    </form>
  );
}

function CollectionChoice({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const { allows } = useSession();
  const { items = [] } = useList('listCollections', { limit: 100 }, { enabled: allows('collections:*') });
  if (items.length === 0) return null;
  const options = { '': 'Everything', ...Object.fromEntries(items.map(({ id, name }) => [id, name])) };
  return <Select label="Collection" options={options} value={value} onChange={onChange} />;
}
