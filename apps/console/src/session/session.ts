import type { CandorClient } from '@candor/client';
import type { Action } from '@candor/contracts';
import { createContext, useContext } from 'react';

export interface Caller {
  id: string;
  name: string;
  permissions: string[];
}

export interface Session {
  client: CandorClient;
  caller: Caller;
  allows: (action: Action) => boolean;
  /** `reason`: what to tell on the sign-in page. */
  signOut: (reason?: string) => void;
}

export const SessionContext = createContext<Session | null>(null);

/** Of whoever is signed in; screens are only there for them. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('Nobody is signed in');
  return session;
}
