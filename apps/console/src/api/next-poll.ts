export interface PollState {
  /** Polls in a row that brought nothing new. */
  unchanged: number;
  /** Polls in a row that failed. */
  failures: number;
}

const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

/**
 * Pause before the next look at something under way: a second while it moves, half as long again each time that it doesn't,
 * at most half a minute. After failures it doubles. false = it is over, nobody asks again.
 */
export function nextPoll(isUnderWay: boolean, { unchanged, failures }: PollState): number | false {
  if (failures > 0) return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures, 10));
  if (!isUnderWay) return false;
  return Math.min(LONGEST_MS, Math.round(FIRST_MS * 1.5 ** Math.min(unchanged, 20)));
}

/** Folds one look into the state. */
export function afterPoll(state: PollState, outcome: 'changed' | 'unchanged' | 'failed'): PollState {
  switch (outcome) {
    case 'changed':
      return { unchanged: 0, failures: 0 };
    case 'unchanged':
      return { unchanged: state.unchanged + 1, failures: 0 };
    case 'failed':
      return { ...state, failures: state.failures + 1 };
  }
}
