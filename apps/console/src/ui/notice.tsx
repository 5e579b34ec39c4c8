import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { explainError, type Explanation } from '../api/explain-error.js';

export type Tone = 'good' | 'warn' | 'bad';

interface NoticeProps {
  tone?: Tone;
  title: string;
  children?: ReactNode;
}

export function Notice({ tone, title, children }: NoticeProps) {
  return (
    <div className="notice" data-tone={tone}>
      <strong>{title}</strong>
      {children ? <div>{children}</div> : null}
    </div>
  );
}

const TONES: Readonly<Record<Explanation['kind'], Tone | undefined>> = {
  forbidden: undefined,
  signed_out: 'warn',
  busy: 'warn',
  failed: 'bad',
};

/** What went wrong, read out as it appears. What a key may not do looks like the fact that it is, not like a failure. */
export function ErrorNotice({ error, children }: { error: unknown; children?: ReactNode }) {
  const { kind, title, text, requestId } = explainError(error);
  const tone = TONES[kind];
  return (
    <div role="alert">
      <Notice title={title} {...(tone ? { tone } : {})}>
        {text}
        {requestId ? (
          <>
            {' '}
            <Link to={`/audit?requestId=${requestId}`}>See request {requestId.slice(0, 8)}</Link>
          </>
        ) : null}
        {children}
      </Notice>
    </div>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <div className="loading" role="status">
      <span className="spinner" aria-hidden="true" />
      Loading {what} …
    </div>
  );
}

export function Empty({ children }: { children: ReactNode }) {
  return <div className="empty">{children}</div>;
}
