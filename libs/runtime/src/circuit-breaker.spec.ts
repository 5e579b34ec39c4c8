import { jest } from '@jest/globals';
import { AppError } from '@candor/contracts';
import { RowBreaker, type AttemptVerdict } from './circuit-breaker.js';

class Outcome extends Error {
  constructor(readonly verdict: AttemptVerdict) {
    super(verdict);
  }
}

const NEVER = 3_600_000;
let breakers: RowBreaker[] = [];
afterEach(() => {
  jest.useRealTimers();
  for (const breaker of breakers) breaker.close();
  breakers = [];
});

function open(resetMs = NEVER): RowBreaker {
  const breaker = new RowBreaker({
    name: 'test',
    failuresUntilOpen: 3,
    resetMs,
    judge: (error) => (error instanceof Outcome ? error.verdict : 'unknown'),
    refuse: (retryAfterSeconds) => new AppError('DEPENDENCY.INDEX_UNAVAILABLE', { retryAfterSeconds }),
  });
  breakers.push(breaker);
  return breaker;
}
type End = AttemptVerdict | null;
/** `ok`, the verdict of the failure, or `refused`. */
const attempt = async (breaker: RowBreaker, end: End | Promise<End>, asker?: object): Promise<string> =>
  breaker
    .run(async () => {
      const verdict = await end;
      if (verdict) throw new Outcome(verdict);
      return 'ok';
    }, asker)
    .catch((error: unknown) => (error instanceof Outcome ? error.verdict : 'refused'));
async function attempts(breaker: RowBreaker, ...verdicts: (AttemptVerdict | null)[]): Promise<string[]> {
  const outcomes = [];
  for (const verdict of verdicts) outcomes.push(await attempt(breaker, verdict));
  return outcomes;
}

it('opens at so many failures in a row, and says when to come back', async () => {
  const breaker = open(90_000);
  await attempts(breaker, 'transport_failure', 'transport_failure', null);
  expect(await attempts(breaker, 'transport_failure', 'transport_failure', 'transport_failure', null)).toEqual([
    'transport_failure',
    'transport_failure',
    'transport_failure',
    'refused',
  ]);
  await expect(breaker.run(async () => 'ok')).rejects.toMatchObject({ retryAfterSeconds: 90 });
});

it('is told by an answer, if only a refusal, that the other side is there', async () => {
  const breaker = open();
  const twice = ['transport_failure', 'transport_failure'] as const;
  expect(await attempts(breaker, ...twice, 'answered', ...twice, 'answered', ...twice, null)).not.toContain('refused');
});

it('takes attempts that were given up for no sign of anything', async () => {
  const breaker = open();
  expect(await attempts(breaker, ...Array.from({ length: 9 }, () => 'unknown' as const))).not.toContain('refused');
  await attempts(breaker, 'transport_failure', 'transport_failure', 'unknown', 'transport_failure');
  expect(await attempt(breaker, null)).toBe('refused');
});

it('lets one attempt through after a while, and closes when that one gets an answer', async () => {
  const breaker = open(30);
  await attempts(breaker, 'transport_failure', 'transport_failure', 'transport_failure');
  expect(await untilTried(breaker, 'transport_failure')).toBe('transport_failure');
  expect(await attempt(breaker, null)).toBe('refused');
  expect(await untilTried(breaker, 'answered')).toBe('answered');
  expect(await attempts(breaker, 'transport_failure', 'transport_failure', null)).not.toContain('refused');
});

it('opens again when that one is given up', async () => {
  const breaker = open(30);
  await attempts(breaker, 'transport_failure', 'transport_failure', 'transport_failure');
  expect(await untilTried(breaker, 'unknown')).toBe('unknown');
  expect(await attempt(breaker, null)).toBe('refused');
});

async function untilTried(breaker: RowBreaker, verdict: AttemptVerdict): Promise<string> {
  for (;;) {
    const outcome = await attempt(breaker, verdict);
    if (outcome !== 'refused') return outcome;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** An attempt under way, until it is ended. */
function begin(breaker: RowBreaker, asker?: object): { end: (how: End) => Promise<string> } {
  let settle: (how: End) => void = () => undefined;
  const outcome = attempt(breaker, new Promise<End>((resolve) => (settle = resolve)), asker);
  return {
    end: (how) => {
      settle(how);
      return outcome;
    },
  };
}

describe('while the one attempt is under way', () => {
  const RESET_MS = 2_000;
  let breaker: RowBreaker;
  beforeEach(() => {
    jest.useFakeTimers();
    breaker = open(RESET_MS);
  });
  const fail = (): Promise<string[]> =>
    attempts(breaker, 'transport_failure', 'transport_failure', 'transport_failure');

  it.each<[string, End, string]>([
    ['goes well', null, 'ok'],
    ['fails', 'transport_failure', 'refused'],
    ['is given up', 'unknown', 'refused'],
  ])('others are refused at once, and its own asker’s wait for it: when it %s', async (_, how, outcome) => {
    const asker = {};
    await fail();
    jest.advanceTimersByTime(RESET_MS);
    const tried = begin(breaker, asker);
    const siblings = [attempt(breaker, null, asker), attempt(breaker, null, asker)];
    expect(await attempts(breaker, null, null)).toEqual(['refused', 'refused']);
    expect(await attempt(breaker, null, {})).toBe('refused');
    expect(await tried.end(how)).toBe(how ?? 'ok');
    expect(await Promise.all(siblings)).toEqual([outcome, outcome]);
  });

  it.each<End>([null, 'answered', 'unknown', 'transport_failure'])(
    'one from before the circuit opened changes nothing by ending: %s',
    async (how) => {
      const old = begin(breaker);
      await fail();
      jest.advanceTimersByTime(RESET_MS);
      const tried = begin(breaker);
      expect(await old.end(how)).toBe(how ?? 'ok');
      // Neither closed by it, nor opened by it for another try to follow.
      expect(await attempt(breaker, null)).toBe('refused');
      jest.advanceTimersByTime(RESET_MS);
      expect(await attempt(breaker, null)).toBe('refused');
      expect(await tried.end(null)).toBe('ok');
      expect(await attempt(breaker, null)).toBe('ok');
    },
  );

  it('its own asker’s wait for it also when an older one is given up meanwhile', async () => {
    const asker = {};
    const old = begin(breaker);
    await fail();
    jest.advanceTimersByTime(RESET_MS);
    const tried = begin(breaker, asker);
    await old.end('unknown');
    const sibling = attempt(breaker, null, asker);
    await tried.end(null);
    expect(await sibling).toBe('ok');
  });

  it('ones from before the circuit opened do not open it again after it closed', async () => {
    const old = [begin(breaker), begin(breaker), begin(breaker)];
    await fail();
    jest.advanceTimersByTime(RESET_MS);
    expect(await attempt(breaker, null)).toBe('ok');
    for (const late of old) await late.end('transport_failure');
    expect(await attempt(breaker, null)).toBe('ok');
    // Nor does their success end a row of failures.
    const older = begin(breaker);
    await fail();
    jest.advanceTimersByTime(RESET_MS);
    expect(await attempts(breaker, null, 'transport_failure', 'transport_failure')).not.toContain('refused');
    await older.end(null);
    expect(await attempts(breaker, 'transport_failure', null)).toEqual(['transport_failure', 'refused']);
  });

  it('it is over also when it throws at once', async () => {
    await fail();
    jest.advanceTimersByTime(RESET_MS);
    const thrower = (): Promise<string> => {
      throw new Outcome('answered');
    };
    await expect(breaker.run(thrower)).rejects.toThrow(Outcome);
    expect(await attempt(breaker, null)).toBe('ok');
  });
});
