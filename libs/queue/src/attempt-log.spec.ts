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
    log.recordDone('index');
    expect(log.servesOthers('index', 'a', 2)).toBe(false);
  });

  it('has served others when one of the kind was done, also when some were not', () => {
    const log = start();
    log.recordFailure('index', 'b');
    log.recordDone('index');
    log.recordFailure('index', 'c');
    expect(log.servesOthers('index', 'a', 1)).toBe(true);
  });

  it('takes jobs of other kinds for proof when no other of the kind failed', () => {
    const log = start();
    log.recordFailure('index', 'a');
    log.recordDone('seal');
    expect(log.servesOthers('index', 'a', 1)).toBe(true);
    log.recordFailure('index', 'b');
    expect(log.servesOthers('index', 'a', 1)).toBe(false);
    expect(log.servesOthers('extract', 'a', 1)).toBe(true);
  });

  it('remembers the failures of others for minutes, and until one of the kind is done', () => {
    const log = start();
    log.recordFailure('index', 'b');
    time += 200_000;
    log.recordDone('seal');
    expect(log.servesOthers('index', 'a', time)).toBe(false);
    time += 200_000;
    log.recordDone('seal');
    expect(log.servesOthers('index', 'a', time)).toBe(true);
    log.recordFailure('index', 'b');
    log.recordDone('index');
    log.recordDone('seal');
    expect(log.servesOthers('index', 'a', time)).toBe(true);
  });

  it('never takes its own failure for another one, however often each failed', () => {
    const log = start();
    for (const jobId of ['a', 'a', 'a']) log.recordFailure('index', jobId);
    log.recordDone('seal');
    expect(log.servesOthers('index', 'a', 1)).toBe(true);
    for (const jobId of ['b', 'a', 'a', 'c', 'a', 'a']) log.recordFailure('index', jobId);
    expect(log.servesOthers('index', 'a', 1)).toBe(false);
    expect(log.servesOthers('index', 'c', 1)).toBe(false);
  });
});
