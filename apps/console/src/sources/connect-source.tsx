import type { CreateSourceBody, SourceProvider } from '@candor/contracts';
import { useState } from 'react';
import { useAction } from '../api/use-action.js';
import { useSession } from '../session/session.js';
import { DialogForm } from '../ui/dialog-form.js';
import { Modal } from '../ui/modal.js';
import { Select } from '../ui/select.js';
import { TextField } from '../ui/text-field.js';
import { PROVIDER_NAMES } from '../words/provider-names.js';
import { buildSource, settingsOf, SOURCE_FORMS, type FormField } from './source-forms.js';

const { upload: _, ...SYNCED } = PROVIDER_NAMES;

interface ConnectSourceProps {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
}

export function ConnectSource(props: ConnectSourceProps) {
  return (
    <Modal title="Connect a source" {...props}>
      {(close) => <ConnectForm onDone={close} />}
    </Modal>
  );
}

function ConnectForm({ onDone }: { onDone: () => void }) {
  const { client } = useSession();
  const [provider, setProvider] = useState<SourceProvider>('slack');
  const [name, setName] = useState('');
  const [everyMinutes, setEveryMinutes] = useState('15');
  const [values, setValues] = useState<Record<string, string>>({});
  const [problems, setProblems] = useState<Record<string, string>>({});
  const create = useAction((body: CreateSourceBody) => client.createSource(body), ['listSources', 'listSyncRuns']);
  const submit = (): void => {
    const built = buildSource({ provider, name, everyMinutes, values });
    setProblems('problems' in built ? built.problems : {});
    if ('body' in built) create.mutate(built.body, { onSuccess: onDone });
  };
  const field = ({ name: key, label, hint, isSecret, isOptional }: FormField) => (
    <TextField
      key={key}
      label={isOptional ? `${label} (optional)` : label}
      {...(hint ? { hint } : {})}
      type={isSecret ? 'password' : 'text'}
      autoComplete="off"
      value={values[key] ?? ''}
      onChange={(value) => setValues({ ...values, [key]: value })}
      error={problems[key]}
    />
  );
  return (
    <DialogForm submit="Connect" action={create} onSubmit={submit} onCancel={onDone}>
      <Select
        label="Provider"
        options={SYNCED}
        value={provider}
        onChange={(chosen) => {
          setProvider(chosen);
          setValues({});
          setProblems({});
        }}
      />
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        error={problems['name']}
        hint="For people, e.g. Design team."
      />
      {SOURCE_FORMS[provider].credentials.map(field)}
      {settingsOf(provider).map(field)}
      <TextField
        label="Sync every … minutes"
        inputMode="numeric"
        value={everyMinutes}
        onChange={setEveryMinutes}
        error={problems['everyMinutes']}
        hint="Empty = only when asked for."
      />
      <p className="quiet small">The credentials are stored encrypted and never shown again.</p>
    </DialogForm>
  );
}
