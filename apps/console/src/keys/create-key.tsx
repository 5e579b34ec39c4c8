import type { Action, ActorType, CreateApiKeyBody, Provider } from '@candor/contracts';
import { useState } from 'react';
import { useAction } from '../api/use-action.js';
import { ACTION_NAMES, ACTIONS } from '../session/permissions.js';
import { useSession } from '../session/session.js';
import { Checkbox, Choices } from '../ui/checkbox.js';
import { DialogForm } from '../ui/dialog-form.js';
import { Modal } from '../ui/modal.js';
import { Select } from '../ui/select.js';
import { TextField } from '../ui/text-field.js';
import { PROVIDER_NAMES, PROVIDERS } from '../words/provider-names.js';
import { buildKey } from './build-key.js';
import type { NewSecret } from './keys.screen.js';

const ACTOR_TYPES: Readonly<Record<ActorType, string>> = {
  agent: 'An agent',
  application: 'An application',
  admin: 'A person who administers',
};
const FOR_AGENTS: Action[] = ['search', 'context', 'reason', 'documents:read'];

interface CreateKeyProps {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  onSecret: (secret: NewSecret) => void;
}

export function CreateKey({ onSecret, ...open }: CreateKeyProps) {
  return (
    <Modal title="Create a key" {...open}>
      {(close) => <KeyForm onSecret={onSecret} onCancel={close} />}
    </Modal>
  );
}

function KeyForm({ onSecret, onCancel }: { onSecret: CreateKeyProps['onSecret']; onCancel: () => void }) {
  const { client, allows } = useSession();
  const [name, setName] = useState('');
  const [actorType, setActorType] = useState<ActorType>('agent');
  const [actions, setActions] = useState<Action[]>(FOR_AGENTS.filter(allows));
  const [allProviders, setAllProviders] = useState(true);
  const [providers, setProviders] = useState<Provider[]>(PROVIDERS);
  const [principals, setPrincipals] = useState('');
  const [rateLimit, setRateLimit] = useState('');
  const [expiresOn, setExpiresOn] = useState('');
  const [problems, setProblems] = useState<Record<string, string>>({});
  const create = useAction((body: CreateApiKeyBody) => client.createApiKey(body), ['listApiKeys']);
  // Nobody can grant what they do not have.
  const grantable = Object.fromEntries(
    ACTIONS.filter(allows).map((action) => [action, ACTION_NAMES[action]]),
  ) as Partial<Record<Action, string>>;
  const submit = (): void => {
    const input = { name, actorType, actions, providers, allProviders, principals, rateLimit, expiresOn };
    const built = buildKey(input, Date.now());
    setProblems('problems' in built ? built.problems : {});
    if ('body' in built)
      create.mutate(built.body, { onSuccess: ({ data }) => onSecret({ name: data.name, key: data.key }) });
  };
  return (
    <DialogForm submit="Create" action={create} onSubmit={submit} onCancel={onCancel}>
      <TextField label="Name" value={name} onChange={setName} error={problems['name']} maxLength={200} />
      <Select label="For" options={ACTOR_TYPES} value={actorType} onChange={setActorType} />
      <Choices label="May do" options={grantable} value={actions} onChange={setActions} />
      <Problem text={problems['actions']} />
      <Checkbox isSelected={allProviders} onChange={setAllProviders}>
        Every provider, later ones too
      </Checkbox>
      {allProviders ? null : (
        <Choices label="Providers" options={PROVIDER_NAMES} value={providers} onChange={setProviders} />
      )}
      <Problem text={problems['providers']} />
      <TextField
        label="Acts for (optional)"
        rows={2}
        value={principals}
        onChange={setPrincipals}
        hint="Identities such as user:a@x.org or group:eng@x.org, separated by commas. Empty = a service key that sees every item of its providers."
      />
      <div className="fields">
        <TextField
          label="Requests a minute (optional)"
          inputMode="numeric"
          value={rateLimit}
          onChange={setRateLimit}
          error={problems['rateLimit']}
          hint="For each action. Empty = 60, 0 = no limit."
        />
        <TextField
          label="Expires after (optional)"
          type="date"
          value={expiresOn}
          onChange={setExpiresOn}
          error={problems['expiresOn']}
        />
      </div>
    </DialogForm>
  );
}

function Problem({ text }: { text: string | undefined }) {
  return text === undefined ? null : (
    <p className="field-error" role="alert">
      {text}
    </p>
  );
}
