import { waitFor } from './wait-for.js';

describe('waitFor', () => {
  it('gives what the probe finds, however late', async () => {
    const answers = [undefined, null, false, 0];
    expect(await waitFor(() => answers.shift(), { what: 'a number', everyMs: 1 })).toBe(0);
  });

  it('takes a failing probe for one that has not succeeded yet', async () => {
    let calls = 0;
    const probe = (): string => {
      calls += 1;
      if (calls < 3) throw new Error('not yet');
      return 'done';
    };
    expect(await waitFor(probe, { what: 'the third call', everyMs: 1 })).toBe('done');
  });

  it('says what it waited for, and why the last try failed', async () => {
    const failing = waitFor(
      () => {
        throw new Error('refused');
      },
      { what: 'a server', timeoutMs: 5, everyMs: 1 },
    );
    await expect(failing).rejects.toMatchObject({
      message: 'waited 5 ms in vain for a server',
      cause: { message: 'refused' },
    });
  });
});
