import type { ApiKeyView } from '@candor/contracts';
import { useAction } from '../api/use-action.js';
import { useSession } from '../session/session.js';
import { Badge } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { Facts } from '../ui/facts.js';
import { Confirm } from '../ui/modal.js';
import { ErrorNotice } from '../ui/notice.js';
import { At } from '../ui/time.js';
import { PROVIDER_NAMES } from '../words/provider-names.js';
import { useNow } from '../words/use-now.js';
import { describeKeyState } from './describe-key-state.js';
import type { NewSecret } from './keys.screen.js';

export function KeyEntry({ apiKey, onSecret }: { apiKey: ApiKeyView; onSecret: (secret: NewSecret) => void }) {
  const { caller } = useSession();
  const { allowedActions, allowedProviders, principals, rateLimitPerMinute, expiresAt } = apiKey;
  const { words, tone, isUsable } = describeKeyState(apiKey, useNow());
  return (
    <li className="card">
      <div className="row row-between">
        <h3>{apiKey.name}</h3>
        <span className="row">
          {apiKey.id === caller.id ? <Badge tone="accent">this key</Badge> : null}
          <Badge>{apiKey.actorType}</Badge>
          <Badge tone={tone}>{words}</Badge>
        </span>
      </div>
      <Facts
        facts={{
          'May do': allowedActions.join(', '),
          Providers: allowedProviders?.map((provider) => PROVIDER_NAMES[provider]).join(', ') ?? 'all',
          'Acts for':
            principals === null ? 'nobody: it sees every item of its providers' : principals.join(', ') || 'nobody',
          'Requests a minute': rateLimitPerMinute ?? 'no limit',
          Expires: expiresAt === null ? 'never' : <At at={expiresAt} />,
          Created: <At at={apiKey.createdAt} />,
        }}
      />
      {isUsable ? <KeyActions apiKey={apiKey} isOwn={apiKey.id === caller.id} onSecret={onSecret} /> : null}
    </li>
  );
}

interface KeyActionsProps {
  apiKey: ApiKeyView;
  isOwn: boolean;
  onSecret: (secret: NewSecret) => void;
}

function KeyActions({ apiKey: { id, name }, isOwn, onSecret }: KeyActionsProps) {
  const { client } = useSession();
  const revoke = useAction(() => client.revokeApiKey({ id }), ['listApiKeys']);
  const rotate = useAction(() => client.rotateApiKey({ id }), ['listApiKeys']);
  const error = revoke.error ?? rotate.error;
  return (
    <>
      <div className="row">
        <Confirm
          trigger={
            <Button size="small" isPending={rotate.isPending} aria-label={`Rotate ${name}`}>
              Rotate
            </Button>
          }
          title={`Make a second secret for ${name}?`}
          confirm="Make it"
          onConfirm={() =>
            rotate.mutate(undefined, { onSuccess: ({ data }) => onSecret({ name: data.name, key: data.key }) })
          }
        >
          The new secret is shown once. The one in use goes on for a day, so that it can be replaced where it is used.
        </Confirm>
        {isOwn ? null : (
          <Confirm
            trigger={
              <Button size="small" variant="danger" isPending={revoke.isPending} aria-label={`Revoke ${name}`}>
                Revoke
              </Button>
            }
            title={`Revoke ${name}?`}
            confirm="Revoke it"
            isDangerous
            onConfirm={() => revoke.mutate(undefined)}
          >
            Whoever uses it is refused from the next request on, also for work that waits in a queue. This cannot be
            taken back.
          </Confirm>
        )}
      </div>
      {error ? <ErrorNotice error={error} /> : null}
    </>
  );
}
