import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState, type ReactNode } from 'react';
import { Button } from '../ui/button.js';
import { ErrorNotice, Loading } from '../ui/notice.js';
import { KeyStore } from './key-store.js';
import { openClient } from './open-client.js';
import { allows } from './permissions.js';
import { createQueryClient } from './query-client.js';
import { SessionContext, type Caller, type Session } from './session.js';
import { SignInScreen } from './sign-in.screen.js';

const store = new KeyStore(() => window.sessionStorage);
const REJECTED = 'The key is not accepted any more: it has expired or was revoked.';

export interface SignedIn {
  key: string;
  /** Already known when somebody has just signed in. */
  caller?: Caller;
}

/** Whatever the address: first a key, then the screen that was asked for. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const [signedIn, setSignedIn] = useState<SignedIn | null>(() => {
    const key = store.load();
    return key === null ? null : { key };
  });
  const [notice, setNotice] = useState<string>();
  const signOut = useCallback((reason?: string) => {
    store.forget();
    setNotice(reason);
    setSignedIn(null);
  }, []);
  if (!signedIn)
    return (
      <SignInScreen
        notice={notice}
        onSignIn={(who, keep) => {
          if (keep) store.keep(who.key);
          setNotice(undefined);
          setSignedIn(who);
        }}
      />
    );
  return (
    <OpenSession key={signedIn.key} signedIn={signedIn} signOut={signOut}>
      {children}
    </OpenSession>
  );
}

interface OpenSessionProps {
  signedIn: SignedIn;
  signOut: Session['signOut'];
  children: ReactNode;
}

function OpenSession({ signedIn, signOut, children }: OpenSessionProps) {
  const queryClient = useMemo(() => createQueryClient(() => signOut(REJECTED)), [signOut]);
  return (
    <QueryClientProvider client={queryClient}>
      <KnownCaller signedIn={signedIn} signOut={signOut}>
        {children}
      </KnownCaller>
    </QueryClientProvider>
  );
}

function KnownCaller({ signedIn, signOut, children }: OpenSessionProps) {
  const client = useMemo(() => openClient(signedIn.key), [signedIn.key]);
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['caller'],
    queryFn: async ({ signal }) => (await client.caller({}, { signal })).data satisfies Caller as Caller,
    staleTime: Infinity,
    ...(signedIn.caller ? { initialData: signedIn.caller } : {}),
  });
  const session = useMemo<Session | null>(
    () => (data ? { client, caller: data, allows: (action) => allows(data.permissions, action), signOut } : null),
    [client, data, signOut],
  );
  if (session) return <SessionContext value={session}>{children}</SessionContext>;
  return (
    <main className="sign-in">
      {error && !isFetching ? (
        <ErrorNotice error={error}>
          <div className="form-actions">
            <Button onPress={() => void refetch()}>Try again</Button>
            <Button onPress={() => signOut()}>Sign out</Button>
          </div>
        </ErrorNotice>
      ) : (
        <Loading what="your session" />
      )}
    </main>
  );
}
