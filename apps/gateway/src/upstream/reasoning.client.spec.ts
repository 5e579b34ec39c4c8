import { AppError, REASONING_CANCEL_CHANNEL, type ReasoningReply, type RequestId } from '@candor/contracts';
import { InProcessReplyChannel, type JobProducer } from '@candor/queue';
import { ReasoningClient } from './reasoning.client.js';

const REQUEST_ID = '6f1f0f9e-5a63-4c7e-9f0e-2b1f4b6c7d8e' as RequestId;
const QUESTION = {
  tenantId: '0b0e7f57-3a8d-4a0c-8d59-6d7d3f6a2c11',
  requestId: REQUEST_ID,
  callerToken: 'token',
  query: 'q',
  limit: 50,
  maxTokens: 8000,
} as Parameters<ReasoningClient['ask']>[0];
const REPLY: ReasoningReply = {
  ok: true,
  requestId: REQUEST_ID,
  data: { answer: 'a', citations: [], gaps: [], meta: { chunksGathered: 0, citationsDropped: 0, latencyMs: 1 } },
  facts: {},
};

interface Added {
  runId: string;
  replyTo: string;
  deadline: string;
}

function setUp(add: (payload: Added) => Promise<void>) {
  const replies = new InProcessReplyChannel((_, error) => {
    throw error;
  });
  const jobs = { add: (_: unknown, payload: Added) => add(payload) } as unknown as JobProducer;
  return { replies, client: new ReasoningClient(jobs, replies) };
}
const inOneMinute = () => new Date(Date.now() + 60_000);

describe('ReasoningClient', () => {
  it('listens before it enqueues, so that the fastest reply arrives', async () => {
    const { client, replies } = setUp(({ replyTo, runId }) => replies.publish(replyTo, { runId, reply: REPLY }));
    await expect(client.ask(QUESTION, { deadline: inOneMinute() })).resolves.toEqual(REPLY);
  });

  it('ignores replies that are malformed or for another run', async () => {
    const { client, replies } = setUp(async ({ replyTo, runId }) => {
      await replies.publish(replyTo, { ok: true });
      await replies.publish(replyTo, {
        runId: REQUEST_ID,
        reply: { ...REPLY, data: { ...REPLY.data, answer: 'wrong' } },
      });
      await replies.publish(replyTo, { runId, reply: REPLY });
    });
    await expect(client.ask(QUESTION, { deadline: inOneMinute() })).resolves.toEqual(REPLY);
  });

  it('fails at once when the queue is down', async () => {
    const { client } = setUp(() => Promise.reject(new AppError('DEPENDENCY.QUEUE_UNAVAILABLE')));
    await expect(client.ask(QUESTION, { deadline: inOneMinute() })).rejects.toMatchObject({
      code: 'DEPENDENCY.QUEUE_UNAVAILABLE',
    });
  });

  it('gives a lost reply up at the deadline', async () => {
    const { client } = setUp(() => Promise.resolve());
    await expect(client.ask(QUESTION, { deadline: new Date() })).rejects.toMatchObject({ code: 'DEADLINE.EXCEEDED' });
  });

  it('tells synthesis when the caller hangs up', async () => {
    const controller = new AbortController();
    let started: Added | undefined;
    const { client, replies } = setUp(async (added) => {
      started = added;
      controller.abort();
    });
    const cancelled = new Promise((resolve) => void replies.subscribe(REASONING_CANCEL_CHANNEL, resolve));
    await expect(client.ask(QUESTION, { deadline: inOneMinute(), signal: controller.signal })).rejects.toMatchObject({
      code: 'REQUEST.CANCELLED',
    });
    await expect(cancelled).resolves.toEqual({ runId: started?.runId });
  });

  it('puts a tenant’s second question at a time behind the first ones of others', async () => {
    const placed: unknown[] = [];
    const replies = new InProcessReplyChannel((_, error) => {
      throw error;
    });
    const added: Added[] = [];
    const jobs = {
      add: async (_: unknown, payload: Added, options: unknown) => {
        added.push(payload);
        placed.push(options);
      },
    } as unknown as JobProducer;
    const client = new ReasoningClient(jobs, replies);
    const ask = (tenantId: string) =>
      client.ask({ ...QUESTION, tenantId } as typeof QUESTION, { deadline: inOneMinute() });
    const asked = [ask('a'), ask('a'), ask('a'), ask('b')];
    while (added.length < asked.length) await new Promise((resolve) => setImmediate(resolve));
    expect(placed).toEqual([{}, { priority: 1 }, { priority: 2 }, {}]);
    for (const { replyTo, runId } of added) await replies.publish(replyTo, { runId, reply: REPLY });
    await Promise.all(asked);
    const last = ask('a');
    while (added.length === asked.length) await new Promise((resolve) => setImmediate(resolve));
    expect(placed.at(-1)).toEqual({});
    await replies.publish(added.at(-1)?.replyTo ?? '', { runId: added.at(-1)?.runId, reply: REPLY });
    await last;
  });

  it('keeps apart two requests that chose the same id', async () => {
    const { client, replies } = setUp(({ replyTo, runId }) => replies.publish(replyTo, { runId, reply: REPLY }));
    const asked = [1, 2].map(() => client.ask(QUESTION, { deadline: inOneMinute() }));
    await expect(Promise.all(asked)).resolves.toEqual([REPLY, REPLY]);
  });
});
