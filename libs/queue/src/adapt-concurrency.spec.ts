import { EventEmitter } from 'node:events';
import { adaptConcurrency } from './adapt-concurrency.js';

class FakeWorker extends EventEmitter {
  concurrency = 10;
}

describe('adaptConcurrency', () => {
  const clock = { now: 0 };
  const finish = (worker: FakeWorker, jobs: number, everyMs: number): void => {
    for (let job = 0; job < jobs; job += 1) {
      clock.now += everyMs;
      worker.emit('completed');
    }
  };
  const start = (): FakeWorker => {
    const worker = new FakeWorker();
    adaptConcurrency(worker as never, { concurrency: 10, maxConcurrency: 100 }, () => clock.now);
    return worker;
  };

  it('has as many jobs at once as are done in two seconds', () => {
    const worker = start();
    finish(worker, 60, 50);
    expect(worker.concurrency).toBeGreaterThan(30);
    expect(worker.concurrency).toBeLessThanOrEqual(42);
  });

  it('stays within its bounds, and comes back when jobs get slow', () => {
    const worker = start();
    finish(worker, 2_000, 1);
    expect(worker.concurrency).toBe(100);
    finish(worker, 3, 1_000);
    expect(worker.concurrency).toBe(10);
  });
});
