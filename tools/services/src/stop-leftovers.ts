import { findProcessesIn, sendSignal, waitUntil } from './inspect-process.js';
import type { OnProgress } from './running-service.js';
import { ServiceStartError } from './service-start.error.js';

export interface StopLeftoversOptions {
  readonly folder: string;
  /** Names of the server's processes. */
  readonly names: readonly string[];
  /** Of the server's processes, the ones to signal; the others follow by themselves. */
  readonly pickMain: (found: readonly number[]) => readonly number[];
  readonly stopSignal: NodeJS.Signals;
  readonly timeoutMs: number;
  readonly onProgress: OnProgress;
}

/** Ends what a killed run left working in a data folder: politely first, by SIGKILL if that takes too long. */
export async function stopLeftovers(options: StopLeftoversOptions): Promise<void> {
  const { folder, names } = options;
  const isClear = async (): Promise<boolean> => (await findProcessesIn(folder, names)).length === 0;
  const found = await findProcessesIn(folder, names);
  if (found.length === 0) {
    return;
  }
  options.onProgress(`stopping a server that an earlier run left in ${folder}`);
  for (const pid of options.pickMain(found)) {
    sendSignal(pid, options.stopSignal);
  }
  if (await waitUntil(isClear, options.timeoutMs)) {
    return;
  }
  for (const pid of await findProcessesIn(folder, names)) {
    sendSignal(pid, 'SIGKILL');
  }
  if (!(await waitUntil(isClear, 10_000))) {
    throw new ServiceStartError(
      `processes ${(await findProcessesIn(folder, names)).join(', ')} in ${folder} can't be stopped`,
    );
  }
}
