import { assertAddress } from '../index-address.js';
import type { IndexAddress } from '../search-index.port.js';

export interface IndexNames {
  live: string;
  history: string;
  /** Aliases that bulk writes require, so that writing to a dropped index can't create one with a guessed mapping. */
  liveWrite: string;
  historyWrite: string;
}

export function indexNames(address: IndexAddress): IndexNames {
  assertAddress(address);
  const live = `candor-${address.tenantId}-${address.generation}`;
  return { live, history: `${live}-history`, liveWrite: `${live}-write`, historyWrite: `${live}-history-write` };
}
