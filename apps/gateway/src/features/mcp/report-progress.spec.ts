import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ServerNotification } from '@modelcontextprotocol/sdk/types.js';
import { reportProgress, type ProgressListener } from './report-progress.js';

describe('reportProgress', () => {
  const send = jest.fn<ProgressListener['send']>();
  let end: (result: string) => void;
  let fail: (error: Error) => void;
  const work = (): Promise<string> =>
    new Promise((resolve, reject) => {
      end = resolve;
      fail = reject;
    });
  const told = (): unknown[] => send.mock.calls.map(([{ params }]: [ServerNotification]) => params);
  const toldAt = (seconds: number): object => ({
    progressToken: 'token',
    progress: seconds,
    message: `Answer: ${seconds} s`,
  });

  beforeEach(() => {
    jest.useFakeTimers();
    send.mockReset().mockResolvedValue();
  });
  afterEach(() => {
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('tells at once and then every two seconds, and nothing after the end', async () => {
    const running = reportProgress({ token: 'token', send }, 'Answer', work);
    expect(told()).toEqual([toldAt(0)]);
    await jest.advanceTimersByTimeAsync(1_999);
    expect(told()).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(2_001);
    expect(told()).toEqual([toldAt(0), toldAt(2), toldAt(4)]);
    end('an answer');
    await expect(running).resolves.toBe('an answer');
    await jest.advanceTimersByTimeAsync(10_000);
    expect(told()).toHaveLength(3);
  });

  it('tells nothing after a failure', async () => {
    const running = reportProgress({ token: 0, send }, 'Answer', work);
    fail(new Error('It broke.'));
    await expect(running).rejects.toThrow('It broke.');
    await jest.advanceTimersByTimeAsync(10_000);
    expect(told()).toHaveLength(1);
  });

  it('tells nothing to who asks for nothing', async () => {
    const running = reportProgress({ token: undefined, send }, 'Answer', work);
    await jest.advanceTimersByTimeAsync(10_000);
    end('an answer');
    await expect(running).resolves.toBe('an answer');
    expect(told()).toEqual([]);
  });

  it('stops when the caller has hung up, and works on', async () => {
    send.mockResolvedValueOnce().mockRejectedValueOnce(new Error('Not connected'));
    const running = reportProgress({ token: 'token', send }, 'Answer', work);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(told()).toEqual([toldAt(0), toldAt(2)]);
    end('an answer');
    await expect(running).resolves.toBe('an answer');
  });
});
