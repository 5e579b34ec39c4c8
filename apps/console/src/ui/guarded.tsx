import type { Action } from '@candor/contracts';
import type { ReactNode } from 'react';
import { ACTION_NAMES } from '../session/permissions.js';
import { useSession } from '../session/session.js';
import { Notice } from './notice.js';

/** What a key may not do is said before anything is asked: it is how things are, and no error. */
export function Guarded({ action, children }: { action: Action; children: ReactNode }) {
  const { allows } = useSession();
  if (allows(action)) return children;
  return (
    <Notice title="This key may not see this">
      It lacks the action <code>{action}</code> ({ACTION_NAMES[action].toLowerCase()}). Sign in with a key that has it,
      or ask whoever manages the keys.
    </Notice>
  );
}
