import { randomUUID } from 'node:crypto';
import { InProcessReplyChannel } from '../in-process-reply-channel.js';
import { RedisReplyChannel } from '../redis-reply-channel.js';
import type { ReplyChannel, ReplyErrorListener } from '../reply-channel.js';
import { BreakableProxy } from './breakable-proxy.js';
import { until } from './queue-harness.js';
import { isMissingService } from './test-backends.js';

const redisUrl = process.env['REDIS_URL'];
const UNAVAILABLE = { code: 'DEPENDENCY.QUEUE_UNAVAILABLE' };

/** Both ends: two connections over Redis, one shared object in process. */
type Open = (onError: ReplyErrorListener) => [ReplyChannel, ReplyChannel];

function conformance(open: Open): void {
  const errors: string[] = [];
  let sender: ReplyChannel;
  let receiver: ReplyChannel;
  let channel: string;
  beforeEach(() => {
    errors.length = 0;
    channel = `reply-test.${randomUUID()}`;
    [sender, receiver] = open((name) => void errors.push(name));
  });
  afterEach(() => Promise.all([sender.close(), receiver.close()]));

  it('delivers what is published after subscribe has resolved', async () => {
    const received: unknown[] = [];
    await receiver.subscribe(channel, (message) => void received.push(message));
    await sender.publish(channel, { ok: true, text: 'שלום', nothing: null });
    await until(() => received.length === 1);
    expect(received).toEqual([{ ok: true, text: 'שלום', nothing: null }]);
  });

  it('keeps the order of one sender', async () => {
    const received: unknown[] = [];
    await receiver.subscribe(channel, (message) => void received.push(message));
    for (let index = 0; index < 50; index += 1) await sender.publish(channel, index);
    await until(() => received.length === 50);
    expect(received).toEqual(Array.from({ length: 50 }, (_value, index) => index));
  });

  it('delivers to every subscriber of the channel, each its own copy, and to no other', async () => {
    const received: { list: number[] }[] = [];
    const strangers: unknown[] = [];
    const change = (message: unknown): void => {
      const copy = message as { list: number[] };
      copy.list.push(2);
      received.push(copy);
    };
    await receiver.subscribe(channel, change);
    await receiver.subscribe(channel, change);
    await receiver.subscribe(`${channel}.other`, (message) => void strangers.push(message));
    await sender.publish(channel, { list: [1] });
    await until(() => received.length === 2);
    expect(received).toEqual([{ list: [1, 2] }, { list: [1, 2] }]);
    expect(strangers).toEqual([]);
  });

  it('stops after unsubscribe, for that handler alone', async () => {
    const first: unknown[] = [];
    const second: unknown[] = [];
    const leave = await receiver.subscribe(channel, (message) => void first.push(message));
    const leaveToo = await receiver.subscribe(channel, (message) => void second.push(message));
    await leave();
    await sender.publish(channel, 1);
    await until(() => second.length === 1);
    await leaveToo();
    await sender.publish(channel, 2);
    const sentinel: unknown[] = [];
    await receiver.subscribe(`${channel}.end`, (message) => void sentinel.push(message));
    await sender.publish(`${channel}.end`, 'end');
    await until(() => sentinel.length === 1);
    expect([first, second]).toEqual([[], [1]]);
  });

  it('resolves a publish that nobody hears', async () => {
    await expect(sender.publish(channel, {})).resolves.toBeUndefined();
  });

  it('reports a handler that throws, and goes on with the others', async () => {
    const received: unknown[] = [];
    await receiver.subscribe(channel, async () => {
      throw new Error('handler');
    });
    await receiver.subscribe(channel, (message) => void received.push(message));
    await sender.publish(channel, 1);
    await until(() => received.length === 1 && errors.length === 1);
    expect(errors).toEqual([channel]);
  });

  it('refuses to work once closed', async () => {
    await sender.close();
    await expect(sender.publish(channel, 1)).rejects.toMatchObject(UNAVAILABLE);
    await expect(sender.subscribe(channel, () => undefined)).rejects.toMatchObject(UNAVAILABLE);
    await expect(sender.close()).resolves.toBeUndefined();
  });
}

describe('In-process reply channel', () => {
  conformance((onError) => {
    const channel = new InProcessReplyChannel(onError);
    return [channel, channel];
  });
});

const redisSuite = isMissingService('redis reply channel', 'REDIS_URL', redisUrl !== undefined)
  ? describe.skip
  : describe;

redisSuite('Redis reply channel', () => {
  conformance((onError) => [
    new RedisReplyChannel(redisUrl ?? '', onError),
    new RedisReplyChannel(redisUrl ?? '', onError),
  ]);

  it('takes its subscriptions up again after the connection broke', async () => {
    const proxy = new BreakableProxy(new URL(redisUrl ?? ''));
    await proxy.up();
    const channel = `reply-test.${randomUUID()}`;
    const received: unknown[] = [];
    const reply = new RedisReplyChannel(proxy.url, () => undefined);
    await reply.subscribe(channel, (message) => void received.push(message));
    await proxy.down();
    await expect(reply.publish(channel, 1)).rejects.toMatchObject(UNAVAILABLE);
    await expect(reply.subscribe(channel, () => undefined)).rejects.toMatchObject(UNAVAILABLE);
    await proxy.up();
    await until(async () => {
      await reply.publish(channel, 2).catch(() => undefined);
      return received.includes(2);
    });
    await reply.close();
    await proxy.down();
  });
});
