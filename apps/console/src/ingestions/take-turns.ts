import pLimit from 'p-limit';

/** Runs what it is given when its turn comes; rejects with the signal's reason as soon as that is aborted. */
export type TakeTurn = <Result>(act: () => Promise<Result>, signal: AbortSignal) => Promise<Result>;

/** So many at a time, in the order in which they come. What is cancelled while it waits is told at once, and never begins. */
export function takeTurns(atOnce: number): TakeTurn {
  const limit = pLimit(atOnce);
  return (act, signal) =>
    new Promise((resolve, reject) => {
      const giveUp = (): void => reject(signal.reason as Error);
      signal.addEventListener('abort', giveUp, { once: true });
      limit(() => {
        signal.throwIfAborted();
        return act();
      }).then(resolve, reject);
    });
}
