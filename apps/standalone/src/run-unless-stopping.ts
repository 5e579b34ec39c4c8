const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * For the work of a start that goes on when the process already listens: the signal that ends the process drains it, and
 * what fails for that reason is no failure of the start.
 */
export async function runUnlessStopping(work: () => Promise<void>): Promise<void> {
  const stopping = new AbortController();
  const note = (): void => stopping.abort();
  for (const signal of SIGNALS) process.on(signal, note);
  try {
    await work();
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, note);
  }
}
