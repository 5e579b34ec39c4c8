import { useCallback, useRef, useState } from 'react';
import type { Passage } from './passage.js';

/** The passage that is open beside what cites it. Closing it leads back to the button that opened it. */
export function usePassage() {
  const [passage, setPassage] = useState<Passage | null>(null);
  const opener = useRef<Element | null>(null);
  const show = useCallback((shown: Passage) => {
    opener.current = document.activeElement;
    setPassage(shown);
  }, []);
  const close = useCallback(() => {
    setPassage(null);
    if (opener.current instanceof HTMLElement) opener.current.focus();
  }, []);
  /** When what cites it is about to go: there is no way back. */
  const clear = useCallback(() => setPassage(null), []);
  return { passage, show, close, clear };
}
