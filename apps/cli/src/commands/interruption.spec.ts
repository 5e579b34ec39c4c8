import { describe, expect, it } from '@jest/globals';
import type { Answer, Recorded } from '../testing/recording-gateway.js';
import { ok, REQUEST_ID as ID, runAgainst } from '../testing/run-against.js';

const counts = { listed: 4, accepted: 1, unchanged: 0, metadata: 0, deleted: 0, failed: 0, withheld: 0, suppressed: 0 };
const run = { id: ID, state: 'running', counts, error: null, waiting: null };
const generation = { id: ID, state: 'building', progress: { itemsDone: 1, itemsTotal: 4 }, error: null };
const pushed = { requestId: ID, items: [{ externalId: 'Brand', status: 'accepted' }] };

describe('Ctrl-C', () => {
  /** Each answer is that of work that never ends; the second look at it is the last. */
  function follow(args: string[], started: Answer, looked: unknown) {
    const listeners = process.listenerCount('SIGINT');
    const result = runAgainst(({ method }: Recorded, count: number) => {
      // The answer is on its way, and what follows is the pause after it.
      if (count === 2) setTimeout(() => process.emit('SIGINT', 'SIGINT'), 300);
      return method === 'POST' ? started : ok(looked);
    }, args);
    return result.finally(() => expect(process.listenerCount('SIGINT')).toBe(listeners));
  }

  it.each<[string, string[], Answer, unknown]>([
    ['sync', ['sync', ID], ok({ data: run }, 202), { data: run }],
    [
      'generations create --wait',
      ['generations', 'create', '--wait'],
      ok({ data: generation }, 202),
      { data: generation },
    ],
  ])('ends the following of %s with 130 and one sentence', async (_name, args, started, looked) => {
    const { exitCode, out, error, requests } = await follow(args, started, looked);
    expect({ exitCode, out, error }).toEqual({ exitCode: 130, out: '', error: 'Interrupted.\n' });
    expect(requests).toHaveLength(2);
  });

  it('ends the following of ingest --wait alike, which says what was accepted', async () => {
    const args = ['ingest', 'We keep lime.', '--title', 'Brand', '--wait'];
    const { exitCode, out, error } = await follow(args, ok(pushed, 202), { done: false, items: [] });
    expect({ exitCode, error }).toEqual({ exitCode: 130, error: 'Interrupted.\n' });
    expect(out).toBe(`1 accepted, 0 unchanged, 0 failed\nsent in the requests ${ID}\n`);
  });
});
