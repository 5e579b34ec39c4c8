import { useEffect, useState, type SubmitEvent } from 'react';
import { Button } from '../ui/button.js';
import { Checkbox } from '../ui/checkbox.js';
import { ErrorNotice, Notice } from '../ui/notice.js';
import { TextField } from '../ui/text-field.js';
import { looksLikeKey } from './key-store.js';
import { openClient } from './open-client.js';
import type { SignedIn } from './session-provider.js';

interface SignInProps {
  /** Why somebody is here again. */
  notice: string | undefined;
  onSignIn: (who: SignedIn, keep: boolean) => void;
}

export function SignInScreen({ notice, onSignIn }: SignInProps) {
  const [key, setKey] = useState('');
  const [keep, setKeep] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  useEffect(() => void (document.title = 'Sign in · Candor Console'), []);

  const signIn = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const trimmed = key.trim();
    setError(undefined);
    setProblem(looksLikeKey(trimmed) ? undefined : 'A key looks like gm_…_…; copy the whole of it.');
    if (!looksLikeKey(trimmed)) return;
    setPending(true);
    try {
      const { data } = await openClient(trimmed).caller();
      onSignIn({ key: trimmed, caller: data }, keep);
    } catch (failure) {
      setError(failure);
      setPending(false);
    }
  };

  return (
    <main className="sign-in">
      <form className="card sign-in-card" onSubmit={(event) => void signIn(event)} noValidate>
        <div className="stack-tight">
          <div className="brand">
            <img src="/console/favicon.svg" alt="" />
            Candor
          </div>
          <h1>Sign in</h1>
          <p className="quiet">
            With an API key. <code>npm start</code> prints the first one, and it is in <code>.candor/admin-key</code>.
          </p>
        </div>
        {notice ? <Notice tone="warn" title={notice} /> : null}
        {error === undefined ? null : <ErrorNotice error={error} />}
        <TextField
          label="API key"
          type="password"
          name="key"
          value={key}
          onChange={setKey}
          error={problem}
          autoComplete="off"
          spellCheck="false"
        />
        <Checkbox isSelected={keep} onChange={setKeep}>
          Keep it until I close this tab
          <br />
          <span className="quiet small">Else it lives in memory, and a reload asks for it again.</span>
        </Checkbox>
        <Button type="submit" variant="primary" isPending={isPending}>
          Sign in
        </Button>
      </form>
    </main>
  );
}
