import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runUnlessStopping } from './run-unless-stopping.js';

describe('runUnlessStopping', () => {
  // Stands for what drains: without a listener of somebody's the signal would end this process.
  const drain = (): void => undefined;
  beforeEach(() => void process.on('SIGTERM', drain));
  afterEach(() => void process.off('SIGTERM', drain));

  it('takes what a signal broke off for no failure', async () => {
    const work = async (): Promise<void> => {
      process.emit('SIGTERM');
      throw new Error('fetch failed');
    };
    await expect(runUnlessStopping(work)).resolves.toBeUndefined();
  });

  it('fails for any other reason, and listens no longer than the work takes', async () => {
    const before = process.listenerCount('SIGTERM');
    await expect(runUnlessStopping(() => Promise.reject(new Error('no demo')))).rejects.toThrow('no demo');
    expect(process.listenerCount('SIGTERM')).toBe(before);
  });
});
