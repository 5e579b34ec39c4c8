import { describe, expect, it } from '@jest/globals';
import { AppError } from '@candor/contracts';
import { OutageGuard } from './outage-guard.js';

const outage = (): AppError => new AppError('CONNECTOR.UNAVAILABLE');
const refusal = (): AppError => new AppError('CONNECTOR.ITEM_UNREADABLE');

describe('OutageGuard', () => {
  /** What becomes of requests, `kind:how` each: given up, or thrown. */
  async function fate(giveUp: boolean, requests: string[]): Promise<string[]> {
    const guard = new OutageGuard(giveUp);
    const fates: string[] = [];
    for (const request of requests) {
      const [kind = '', how] = request.split(':');
      try {
        await guard.ask(kind, async () => {
          if (how === 'fails') throw outage();
          if (how === 'refused') throw refusal();
          if (how === 'slowed') throw new AppError('CONNECTOR.RATE_LIMITED');
        });
        fates.push('read');
      } catch (error) {
        try {
          guard.toItemFailure('id', null, error);
          fates.push('failure');
        } catch {
          fates.push('thrown');
        }
      }
    }
    return fates;
  }

  it.each([
    ['one alone', 'a:read a:fails a:read a:fails', 'read failure read failure'],
    ['two neighbours', 'a:fails a:fails a:read a:fails a:fails', 'failure failure read failure failure'],
    ['not the third in a row, and none after it', 'a:fails a:fails a:fails a:fails', 'failure failure thrown thrown'],
    ['each kind for itself', 'a:fails b:fails a:fails b:read a:fails', 'failure failure failure read thrown'],
    ['a refusal between them', 'a:fails a:fails a:refused a:fails', 'failure failure failure failure'],
    ['a rate limit, which is no answer', 'a:fails a:fails a:slowed a:fails', 'failure failure thrown thrown'],
  ])('gives up on what fails alone: %s', async (_, requests, fates) => {
    expect(await fate(true, requests.split(' '))).toEqual(fates.split(' '));
  });

  it('takes what another has given up on for no outage, where it comes up again', async () => {
    const [first, second] = [new OutageGuard(true), new OutageGuard(true)];
    const errors = [outage(), outage(), outage()];
    for (const error of errors) {
      await first.ask('a', async () => Promise.reject(error)).catch(() => first.toItemFailure('id', null, error));
      await first.ask('a', async () => 'read');
    }
    for (const error of errors) {
      await expect(second.ask('b', async () => Promise.reject(error))).rejects.toBe(error);
      expect(second.isGivenUp(error)).toBe(true);
    }
  });

  it('gives up on nothing unless it is told to', async () => {
    expect(await fate(false, ['a:fails', 'a:read', 'a:refused'])).toEqual(['thrown', 'read', 'failure']);
  });
});
