import { AppError } from '@candor/contracts';
import { randomUUID } from 'node:crypto';
import { until } from './conformance/queue-harness.js';
import { makeTestJobs, testPayload } from './conformance/test-jobs.js';
import {
  OutboxDispatcher,
  type ClaimOptions,
  type OutboxDispatcherOptions,
  type OutboxRow,
  type OutboxStore,
} from './outbox-dispatcher.js';
import type { Lane } from './lane-shares.js';
import type { DeadLetter } from './strategy-options.js';

const jobs = makeTestJobs('outbox-test');

/** The table's rules, without a table: claimed rows are hidden, released ones come back, sent ones are gone. */
class MemoryOutbox implements OutboxStore {
  readonly rows: OutboxRow[] = [];
  readonly claimed = new Set<string>();
  readonly sent: string[] = [];
  readonly releases: string[] = [];
  claims: ClaimOptions[] = [];

  async claim(options: ClaimOptions): Promise<OutboxRow[]> {
    this.claims.push(options);
    const free = this.rows.filter((row) => !this.claimed.has(row.id) && options.jobNames.includes(row.jobName));
    const isOf = (lane: Lane) => (row: OutboxRow) => row.tenantId === lane.tenantId && row.lane === lane.lane;
    const lanes = free.filter((row, index) => free.findIndex(isOf(row)) === index);
    const shares = options.share(lanes);
    const ofLanes = lanes.map((lane, index) => free.filter(isOf(lane)).slice(0, shares[index]));
    const turns = Math.max(0, ...ofLanes.map((rows) => rows.length));
    const taken = Array.from({ length: turns }, (_value, turn) => ofLanes.flatMap((rows) => rows[turn] ?? [])).flat();
    taken.forEach(({ id }) => this.claimed.add(id));
    return taken;
  }

  async markSent(ids: readonly string[]): Promise<void> {
    this.sent.push(...ids);
    this.rows.splice(0, this.rows.length, ...this.rows.filter(({ id }) => !ids.includes(id)));
  }

  async release(ids: readonly string[], error: string): Promise<void> {
    this.releases.push(error);
    ids.forEach((id) => this.claimed.delete(id));
  }

  put(tenantId: string, payload: unknown = testPayload(), jobName: string = jobs.work.name, lane = ''): string {
    const id = randomUUID();
    this.rows.push({ id, tenantId, lane, jobName, payload });
    return id;
  }
}

describe('OutboxDispatcher', () => {
  let store: MemoryOutbox;
  let added: string[];
  let errors: AppError[];
  let letters: DeadLetter[];
  let waiting: number;
  let isDown: boolean;
  let dispatcher: OutboxDispatcher | undefined;

  beforeEach(() => {
    store = new MemoryOutbox();
    added = [];
    errors = [];
    letters = [];
    waiting = 0;
    isDown = false;
  });
  afterEach(() => dispatcher?.stop());

  function start(changes: Partial<OutboxDispatcherOptions> = {}): OutboxDispatcher {
    dispatcher = new OutboxDispatcher({
      store,
      catalogue: Object.values(jobs),
      producer: {
        addMany: async (entries) => {
          if (isDown) throw new AppError('DEPENDENCY.QUEUE_UNAVAILABLE');
          for (const { job, payload } of entries) added.push(job.jobId(job.payload.parse(payload)));
        },
        counts: async () => ({ waiting, active: 0, delayed: 0, failed: 0 }),
      },
      onDeadLetter: async (letter) => void letters.push(letter),
      onError: (error) => void errors.push(error),
      idleMs: 5,
      maxBackoffMs: 20,
      ...changes,
    });
    dispatcher.start();
    return dispatcher;
  }

  it('sends rows that are there and rows that come', async () => {
    store.put('t1', testPayload('a'));
    start();
    await until(() => store.sent.length === 1);
    store.put('t1', testPayload('b'));
    await until(() => store.sent.length === 2);
    expect(added).toEqual(['work-a', 'work-b']);
  });

  it('serves tenants in turn, and who got little first, however big a backlog is', async () => {
    for (let index = 0; index < 60; index += 1) store.put('big', testPayload(`big${index}`));
    start({ batchSize: 10 });
    await until(() => store.sent.length === 60);
    for (let index = 60; index < 120; index += 1) store.put('big', testPayload(`big${index}`));
    for (let index = 0; index < 12; index += 1) store.put('small', testPayload(`small${index}`));
    await until(() => store.sent.length === 132);
    const later = added.slice(60);
    expect(later.slice(0, 4)).toEqual(['work-big60', 'work-small0', 'work-small1', 'work-small2']);
    // Two rounds, of which the big one got its even part.
    expect(later.indexOf('work-small11')).toBeLessThan(15);
    expect(added.filter((id) => id.startsWith('work-big'))).toEqual(
      Array.from({ length: 120 }, (_v, i) => `work-big${i}`),
    );
  });

  it('keeps every row while the queue is down, and sends them afterwards', async () => {
    isDown = true;
    const ids = Array.from({ length: 30 }, (_value, index) => store.put(`t${index % 3}`));
    start();
    await until(() => errors.length >= 3);
    expect(store.sent).toEqual([]);
    expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['DEPENDENCY.QUEUE_UNAVAILABLE']));
    isDown = false;
    await until(() => store.sent.length === ids.length);
    expect([...store.sent].sort()).toEqual([...ids].sort());
  });

  it('goes on after the database failed', async () => {
    const claim = store.claim.bind(store);
    let failures = 2;
    store.claim = (options) => (failures-- > 0 ? Promise.reject(new Error('no database')) : claim(options));
    store.put('t1');
    start();
    await until(() => store.sent.length === 1);
    expect(errors.map(({ code }) => code)).toEqual(['INTERNAL.UNEXPECTED', 'INTERNAL.UNEXPECTED']);
  });

  it.each([
    ['a payload that breaks its contract', jobs.work.name, { key: 'x' }],
    ['a job that nobody knows', 'test.unknown', testPayload()],
  ])('writes a dead letter for %s, once', async (_label, jobName, payload) => {
    const id = store.put('t1', payload, jobName);
    const good = store.put('t2');
    const claim = store.claim.bind(store);
    // A store that doesn't filter by name, as rows of a removed job would be found by a sweep.
    store.claim = (options) => claim({ ...options, jobNames: [...options.jobNames, 'test.unknown'] });
    start();
    await until(() => store.sent.length === 2);
    expect(letters).toMatchObject([
      { job: jobName, jobId: id, error: { type: 'JOB.INVALID_PAYLOAD' }, attemptsMade: 0 },
    ]);
    expect([...store.sent].sort()).toEqual([id, good].sort());
  });

  it('holds rows back while their queue is full', async () => {
    let asked = 0;
    waiting = 60;
    store.put('t1');
    start({
      minimumWindow: 100,
      producer: {
        addMany: async () => undefined,
        counts: async () => {
          asked += 1;
          return { waiting, active: 500, delayed: 0, failed: 0 };
        },
      },
    });
    await until(() => asked > 8);
    expect(store.claims).toEqual([]);
    waiting = 51;
    asked = 0;
    await until(() => asked > 8);
    expect(store.claims).toEqual([]);
    waiting = 50;
    await until(() => store.sent.length === 1);
  });

  it('does not wait for the next poll when nudged', async () => {
    const running = start({ idleMs: 3_600_000 });
    await until(() => store.claims.length === 1);
    store.put('t1');
    running.nudge();
    await until(() => store.sent.length === 1);
  });

  it('ends the current round before stop returns, and starts no other', async () => {
    let release: () => void = () => undefined;
    const markSent = store.markSent.bind(store);
    store.markSent = async (ids) => {
      await new Promise<void>((resolve) => (release = resolve));
      await markSent(ids);
    };
    store.put('t1');
    const running = start();
    await until(() => added.length === 1);
    await until(() => store.claimed.size === 1);
    const stopped = running.stop();
    store.put('t1');
    await new Promise((resolve) => setImmediate(resolve));
    release();
    await stopped;
    expect(store.sent).toHaveLength(1);
    expect(store.rows).toHaveLength(1);
  });
});
