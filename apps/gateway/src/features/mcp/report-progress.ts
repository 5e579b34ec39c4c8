import type { ProgressToken, ServerNotification } from '@modelcontextprotocol/sdk/types.js';

const INTERVAL_MS = 2_000;

export interface ProgressListener {
  /** undefined = the caller asked for none. */
  token: ProgressToken | undefined;
  send: (notification: ServerNotification) => Promise<void>;
}

/**
 * Tells at once, and then every two seconds, for how long the work has been running: how far it is, nobody knows.
 * Clients take it as a sign of life and wait on.
 */
export async function reportProgress<Result>(
  { token, send }: ProgressListener,
  what: string,
  work: () => Promise<Result>,
): Promise<Result> {
  if (token === undefined) return work();
  const startedAt = Date.now();
  const report = (): void => {
    const progress = (Date.now() - startedAt) / 1_000;
    const message = `${what}: ${Math.round(progress)} s`;
    send({ method: 'notifications/progress', params: { progressToken: token, progress, message } }).catch(
      // The caller hung up; the request's own end deals with that.
      () => clearInterval(timer),
    );
  };
  const timer = setInterval(report, INTERVAL_MS);
  report();
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
