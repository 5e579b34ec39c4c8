import { AttemptLog } from './attempt-log.js';

describe('AttemptLog', () => {
  let time = 0;
  const start = (): AttemptLog => {
    time = 0;
    return new AttemptLog(() => (time += 1));
  };

  it('has served nobody while nothing was done since', () => {
    const log = start();
    expect(log.servesOthers('index', 'a', 0)).toBe(false);
    log.recordDone('index', 'done');
    expect(log.servesOthers('index', 'a', 2)).toBe(false);
  });

  it('has served others when one of the kind was done and none failed lately', () => {
    const log = start();
    log.recordFailure('index', 'b');
    log.recordDone('index', 'done');
    expect(log.servesOthers('index', 'a', 2)).toBe(false);
    time += 400_000;
    const since = time;
    log.recordDone('index', 'done');
    expect(log.servesOthers('index', 'a', since)).toBe(true);
  });

  it('calls no failure a job’s own while some of the kind are done and some fail, until that was so often', () => {
    const log = start();
    const fail = (jobId: string): boolean => {
      const since = time;
      log.recordFailure('index', 'another');
      log.recordDone('index', 'done');
      log.recordFailure('index', jobId);
      return log.servesOthers('index', jobId, since);
    };
    const verdicts = Array.from({ length: 31 }, () => fail('a'));
    expect(verdicts.slice(0, 30)).toEqual(Array.from({ length: 30 }, () => false));
    expect(verdicts[30]).toBe(true);
    expect(fail('b')).toBe(false);
    // Whoever comes through begins anew.
    log.recordDone('index', 'a');
    expect(fail('a')).toBe(false);
  });

  it('fails hardly a job of an overload in which one attempt in five succeeds', () => {
    const log = start();
    const attempts = 8;
    const jobs = Array.from({ length: 2_000 }, (_, number) => ({ id: `job${number}`, made: 0, state: 'waiting' }));
    let drawn = 0;
    // The same at each run.
    const succeeds = (): boolean => (drawn = (drawn * 1_103_515_245 + 12_345) % 2 ** 31) < 0.2 * 2 ** 31;
    for (let waiting = jobs; waiting.length > 0; waiting = waiting.filter(({ state }) => state === 'waiting')) {
      for (let first = 0; first < waiting.length; first += 8) {
        // Eight at a time, all of which begin together.
        const since = time;
        for (const job of waiting.slice(first, first + 8)) {
          if (succeeds()) {
            job.state = 'done';
            log.recordDone('index', job.id);
            continue;
          }
          log.recordFailure('index', job.id);
          const isOwn = log.servesOthers('index', job.id, since);
          if (job.made + 1 < attempts) job.made += 1;
          else if (isOwn) job.state = 'dead';
        }
      }
    }
    expect(jobs.filter(({ state }) => state === 'dead').length).toBeLessThan(20);
  });

  it('takes jobs of other kinds for proof when no other of the kind failed', () => {
    const log = start();
    log.recordFailure('index', 'a');
    log.recordDone('seal', 'done');
    expect(log.servesOthers('index', 'a', 1)).toBe(true);
    log.recordFailure('index', 'b');
    expect(log.servesOthers('index', 'a', 1)).toBe(false);
    expect(log.servesOthers('extract', 'a', 1)).toBe(true);
  });

  it('remembers the failures of others for minutes, and until one of the kind is done', () => {
    const log = start();
    log.recordFailure('index', 'b');
    time += 200_000;
    log.recordDone('seal', 'done');
    expect(log.servesOthers('index', 'a', time)).toBe(false);
    time += 200_000;
    log.recordDone('seal', 'done');
    expect(log.servesOthers('index', 'a', time)).toBe(true);
    log.recordFailure('index', 'b');
    log.recordDone('index', 'done');
    log.recordDone('seal', 'done');
    expect(log.servesOthers('index', 'a', time)).toBe(true);
  });

  it('never takes its own failure for another one, however often each failed', () => {
    const log = start();
    for (const jobId of ['a', 'a', 'a']) log.recordFailure('index', jobId);
    log.recordDone('seal', 'done');
    expect(log.servesOthers('index', 'a', 1)).toBe(true);
    for (const jobId of ['b', 'a', 'a', 'c', 'a', 'a']) log.recordFailure('index', jobId);
    expect(log.servesOthers('index', 'a', 1)).toBe(false);
    expect(log.servesOthers('index', 'c', 1)).toBe(false);
  });
});
