import type { GenerationWorkPayload } from '@candor/contracts';
import { extendWorkLease, type Database } from '@candor/persistence';

const EVERY_MS = 15_000;

export interface KeptLease {
  /** Fires when the job's own signal does, or when the work was given up or taken over. */
  signal: AbortSignal;
  readonly isLost: boolean;
  release(): void;
}

/** Says now and then that somebody is at work: a large text takes minutes to embed, and its job is not lost. */
export function keepLease(
  database: Database,
  job: GenerationWorkPayload,
  signal: AbortSignal,
  everyMs = EVERY_MS,
): KeptLease {
  const lost = new AbortController();
  const timer = setInterval(() => {
    database
      .read((manager) => extendWorkLease(manager, job))
      .then(
        (isOurs) => void (isOurs || lost.abort()),
        // The database is away: the work itself will say so.
        () => undefined,
      );
  }, everyMs);
  return {
    signal: AbortSignal.any([signal, lost.signal]),
    get isLost() {
      return lost.signal.aborted;
    },
    release: () => clearInterval(timer),
  };
}
