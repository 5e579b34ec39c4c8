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
  for (const breaker of breakers) breaker.close();
  breakers = [];
});

function open(resetMs = NEVER, waitsForTry = false): RowBreaker {
  const breaker = new RowBreaker({
    name: 'test',
    failuresUntilOpen: 3,
    waitsForTry,
    resetMs,
    judge: (error) => (error instanceof Outcome ? error.verdict : 'unknown'),
    refuse: (retryAfterSeconds) => new AppError('DEPENDENCY.INDEX_UNAVAILABLE', { retryAfterSeconds }),
  });
  breakers.push(breaker);
  return breaker;
}
/** `ok`, the verdict of the failure, or `refused`. */
const attempt = async (breaker: RowBreaker, verdict: AttemptVerdict | null): Promise<string> =>
  breaker
    .run(async () => {
      if (verdict) throw new Outcome(verdict);
      return 'ok';
    })
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

it.each<[string, AttemptVerdict | null, string[]]>([
  ['goes well', null, ['ok', 'ok', 'ok']],
  ['fails', 'transport_failure', ['transport_failure', 'refused', 'refused']],
])('has others wait for that one where it is told to: when it %s', async (_, verdict, outcomes) => {
  const breaker = open(30, true);
  await attempts(breaker, 'transport_failure', 'transport_failure', 'transport_failure');
  let answer: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  let tried: Promise<string> | undefined;
  let isTrying = false;
  while (!isTrying) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    tried = breaker
      .run(async () => {
        isTrying = true;
        await answered;
        if (verdict) throw new Outcome(verdict);
        return 'ok';
      })
      .catch((error: unknown) => (error instanceof Outcome ? error.verdict : 'refused'));
  }
  const others = [attempt(breaker, null), attempt(breaker, null)];
  answer();
  expect(await Promise.all([tried, ...others])).toEqual(outcomes);
});

async function untilTried(breaker: RowBreaker, verdict: AttemptVerdict): Promise<string> {
  for (;;) {
    const outcome = await attempt(breaker, verdict);
    if (outcome !== 'refused') return outcome;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
