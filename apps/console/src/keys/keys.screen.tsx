import { useState } from 'react';
import { useList } from '../api/use-list.js';
import { useSession } from '../session/session.js';
import { Button } from '../ui/button.js';
import { Guarded } from '../ui/guarded.js';
import { ListView } from '../ui/list-view.js';
import { PageHeader } from '../ui/page-header.js';
import { CreateKey } from './create-key.js';
import { KeyEntry } from './key-entry.js';
import { SecretDialog } from './secret-dialog.js';

export interface NewSecret {
  name: string;
  key: string;
}

export function KeysScreen() {
  const { allows } = useSession();
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<NewSecret | null>(null);
  return (
    <>
      <PageHeader
        title="Keys"
        actions={
          allows('keys:manage') ? (
            <Button variant="primary" onPress={() => setCreating(true)}>
              Create a key
            </Button>
          ) : null
        }
      >
        Who may do what. A key’s secret is shown once, when it is made; only its digest is stored.
      </PageHeader>
      <Guarded action="keys:manage">
        <KeyList onSecret={setSecret} />
      </Guarded>
      <CreateKey
        isOpen={isCreating}
        onOpenChange={setCreating}
        onSecret={(made) => {
          setCreating(false);
          setSecret(made);
        }}
      />
      <SecretDialog secret={secret} onClose={() => setSecret(null)} />
    </>
  );
}

function KeyList({ onSecret }: { onSecret: (secret: NewSecret) => void }) {
  const { query, items } = useList('listApiKeys', { limit: 50 });
  return (
    <ListView query={query} items={items} what="API keys" empty="There are no keys.">
      {(apiKey) => <KeyEntry key={apiKey.id} apiKey={apiKey} onSecret={onSecret} />}
    </ListView>
  );
}
