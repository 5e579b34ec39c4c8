import { describe, expect, it } from '@jest/globals';
import { PriorityLanes } from './priority-lanes.js';

function createGate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

describe('PriorityLanes', () => {
  it('starts a late query before the passages that wait', async () => {
    const lanes = new PriorityLanes(1);
    const gate = createGate();
    const order: string[] = [];
    const record = (name: string) => async () => void order.push(name);
    const all = [
      lanes.run('passage', async () => {
        await gate.opened;
        order.push('running passage');
      }),
      lanes.run('passage', record('passage 1')),
      lanes.run('passage', record('passage 2')),
      lanes.run('query', record('query 1')),
      lanes.run('query', record('query 2')),
    ];
    gate.open();
    await Promise.all(all);
    expect(order).toEqual(['running passage', 'query 1', 'query 2', 'passage 1', 'passage 2']);
  });

  it('never runs more than its width', async () => {
    const lanes = new PriorityLanes(2);
    let running = 0;
    let most = 0;
    const task = async (): Promise<void> => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, () => lanes.run('passage', task)));
    expect(most).toBe(2);
  });

  it('drops a waiting task on abort and keeps the place of a running one', async () => {
    const lanes = new PriorityLanes(1);
    const gate = createGate();
    const abort = new AbortController();
    let started = 0;
    const running = lanes.run('passage', () => gate.opened, abort.signal);
    const waiting = lanes.run('passage', async () => void (started += 1), abort.signal);
    const other = lanes.run('passage', async () => void (started += 10));
    const outcomes = Promise.allSettled([running, waiting]);
    abort.abort();
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'REQUEST.CANCELLED' } });
    }
    expect(started).toBe(0);
    gate.open();
    await other;
    expect(started).toBe(10);
  });

  it('passes failures on and goes on', async () => {
    const lanes = new PriorityLanes(1);
    await expect(lanes.run('query', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(lanes.run('query', async () => 'yes')).resolves.toBe('yes');
  });

  it('refuses what waits when it closes, and waits for what runs', async () => {
    const lanes = new PriorityLanes(1);
    const gate = createGate();
    const running = lanes.run('passage', async () => {
      await gate.opened;
      return 'done';
    });
    const waiting = lanes.run('query', async () => 'never');
    const refused = expect(waiting).rejects.toMatchObject({ code: 'DEPENDENCY.EMBEDDINGS_UNAVAILABLE' });
    let closed = false;
    const closing = lanes.close().then(() => (closed = true));
    await refused;
    expect(closed).toBe(false);
    gate.open();
    await closing;
    await expect(running).resolves.toBe('done');
    await expect(lanes.run('query', async () => 1)).rejects.toMatchObject({
      code: 'DEPENDENCY.EMBEDDINGS_UNAVAILABLE',
    });
  });
});
