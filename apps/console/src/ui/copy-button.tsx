import { useEffect, useState } from 'react';
import { Button } from './button.js';

type State = 'idle' | 'copied' | 'refused';
const WORDS: Readonly<Record<State, string>> = { idle: 'Copy', copied: 'Copied', refused: 'Copy it by hand' };

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [state, setState] = useState<State>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), 3_000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = (): void => {
    // Absent where the page came over plain http from another machine.
    const clipboard = navigator.clipboard as Clipboard | undefined;
    if (!clipboard) return setState('refused');
    clipboard.writeText(text).then(
      () => setState('copied'),
      () => setState('refused'),
    );
  };
  return (
    <>
      <Button size="small" aria-label={`${WORDS[state]}: ${label}`} onPress={copy}>
        {WORDS[state]}
      </Button>
      <span className="visually-hidden" role="status">
        {state === 'idle' ? '' : WORDS[state]}
      </span>
    </>
  );
}
