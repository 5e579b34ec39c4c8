import type { GenerationState, ItemState, SourceState, SyncRunState } from '@candor/contracts';
import type { Tone } from '../ui/notice.js';

type State = ItemState | SyncRunState | GenerationState | SourceState;

interface StateWords {
  words: string;
  tone?: Tone | 'accent';
}

/** Complete by its type: every state of items, syncs, generations and sources has words. */
const STATES: Readonly<Record<State, StateWords>> = {
  accepted: { words: 'accepted', tone: 'accent' },
  extracting: { words: 'being read', tone: 'accent' },
  indexing: { words: 'being indexed', tone: 'accent' },
  indexed: { words: 'searchable', tone: 'good' },
  skipped: { words: 'unchanged' },
  superseded: { words: 'replaced' },
  failed: { words: 'failed', tone: 'bad' },
  deleting: { words: 'being deleted', tone: 'warn' },
  deleted: { words: 'deleted' },
  queued: { words: 'queued', tone: 'accent' },
  running: { words: 'running', tone: 'accent' },
  succeeded: { words: 'succeeded', tone: 'good' },
  succeeded_with_errors: { words: 'done, with errors', tone: 'warn' },
  cancelled: { words: 'cancelled' },
  building: { words: 'being built', tone: 'accent' },
  ready: { words: 'ready', tone: 'good' },
  live: { words: 'live', tone: 'good' },
  previous: { words: 'previous, kept for a roll-back' },
  retiring: { words: 'being retired', tone: 'warn' },
  retired: { words: 'retired' },
  active: { words: 'active', tone: 'good' },
  paused: { words: 'paused', tone: 'warn' },
};

export function stateWords(state: State): StateWords {
  return STATES[state];
}
