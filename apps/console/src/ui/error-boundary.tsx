import { Component, type ReactNode } from 'react';
import { Notice } from './notice.js';

/** A bug of the page itself ends in words, not in a white page. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <main className="sign-in">
        <div role="alert">
          <Notice tone="bad" title="This page failed">
            {error.message} <a href="/console">Load it again</a>
          </Notice>
        </div>
      </main>
    );
  }
}
