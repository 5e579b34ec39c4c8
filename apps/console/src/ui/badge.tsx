import type { ReactNode } from 'react';
import type { Tone } from './notice.js';

export function Badge({ tone, children }: { tone?: Tone | 'accent' | undefined; children: ReactNode }) {
  return (
    <span className="badge" data-tone={tone}>
      {children}
    </span>
  );
}
