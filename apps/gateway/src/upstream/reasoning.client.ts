import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { v4 as randomUuid } from 'uuid';
import {
  answerQuestionJob,
  AppError,
  REASONING_CANCEL_CHANNEL,
  reasoningReplyEnvelopeSchema,
  reasoningReplySchema,
  runReasoningJob,
  runReasoningReplySchema,
  type AnswerQuestionPayload,
  type ReasoningReply,
  type RunReasoningPayload,
  type RunReasoningReply,
} from '@candor/contracts';
import { JobProducer, type ReplyChannel } from '@candor/queue';
import { REPLY_CHANNEL } from '../tokens.js';
import { TenantTurns } from './tenant-turns.js';

type SetHere = 'runId' | 'replyTo' | 'deadline';
type Question = Omit<AnswerQuestionPayload, SetHere>;
type Run = Omit<RunReasoningPayload, SetHere>;

/** Where a job stands in the queue. */
type Placed = Parameters<JobProducer['add']>[2];

interface WaitOptions {
  deadline: Date;
  signal?: AbortSignal;
}

/** Time for synthesis to say "too late" itself before the gateway stops waiting, ms. */
const REPLY_GRACE_MS = 500;

/** Puts a question on the `reasoning` queue and waits for its reply on this instance's own channel. */
@Injectable()
export class ReasoningClient implements OnModuleInit, OnModuleDestroy {
  private readonly channel = `candor.reply.${randomUuid()}`;
  private readonly waiting = new Map<string, (reply: unknown) => void>();
  private readonly turns = new TenantTurns();
  private unsubscribe: (() => Promise<void>) | undefined;
  private subscribing: Promise<void> | undefined;

  constructor(
    private readonly jobs: JobProducer,
    @Inject(REPLY_CHANNEL) private readonly replies: ReplyChannel,
  ) {}

  async onModuleInit(): Promise<void> {
    // A gateway starts without Redis too; the first question then tries again.
    await this.ensureSubscribed().catch(() => undefined);
  }

  async onModuleDestroy(): Promise<void> {
    await this.unsubscribe?.();
  }

  /** Errors: DEPENDENCY.QUEUE_UNAVAILABLE at once, DEADLINE.EXCEEDED, REQUEST.CANCELLED. */
  ask(question: Question, options: WaitOptions): Promise<ReasoningReply> {
    return this.request(
      question.tenantId,
      (set, placed) => this.jobs.add(answerQuestionJob, { ...question, ...set }, placed),
      (reply) => reasoningReplySchema.safeParse(reply).data,
      options,
    );
  }

  /** The same for a typed reasoning run. */
  run(run: Run, options: WaitOptions): Promise<RunReasoningReply> {
    return this.request(
      run.tenantId,
      (set, placed) => this.jobs.add(runReasoningJob, { ...run, ...set }, placed),
      (reply) => runReasoningReplySchema.safeParse(reply).data,
      options,
    );
  }

  private async request<Reply>(
    tenantId: string,
    add: (set: Pick<AnswerQuestionPayload, SetHere>, placed: Placed) => Promise<unknown>,
    read: (reply: unknown) => Reply | undefined,
    options: WaitOptions,
  ): Promise<Reply> {
    await this.ensureSubscribed();
    const runId = randomUuid();
    const reply = this.waitFor(runId, read, options);
    // Nobody awaits the reply when adding fails.
    reply.catch(() => undefined);
    const underWay = this.turns.enter(tenantId);
    try {
      const placed = underWay === 0 ? {} : { priority: underWay };
      await add({ runId, replyTo: this.channel, deadline: options.deadline.toISOString() }, placed);
      return await reply;
    } catch (error) {
      if (error instanceof AppError && error.code === 'REQUEST.CANCELLED') await this.cancel(runId);
      throw error;
    } finally {
      this.waiting.delete(runId);
      this.turns.leave(tenantId);
    }
  }

  private waitFor<Reply>(
    runId: string,
    read: (reply: unknown) => Reply | undefined,
    options: WaitOptions,
  ): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => settle(() => reject(new AppError('REQUEST.CANCELLED')));
      const timer = setTimeout(
        () => settle(() => reject(new AppError('DEADLINE.EXCEEDED'))),
        Math.max(0, options.deadline.getTime() - Date.now()) + REPLY_GRACE_MS,
      );
      const settle = (act: () => void): void => {
        clearTimeout(timer);
        options.signal?.removeEventListener('abort', onAbort);
        act();
      };
      options.signal?.addEventListener('abort', onAbort, { once: true });
      this.waiting.set(runId, (message) => {
        const reply = read(message);
        // What is malformed is no reply; the deadline ends the wait.
        if (reply !== undefined) settle(() => resolve(reply));
      });
      if (options.signal?.aborted) onAbort();
    });
  }

  private async cancel(runId: string): Promise<void> {
    // The caller is gone; if this is lost too, the job's deadline ends it.
    await this.replies.publish(REASONING_CANCEL_CHANNEL, { runId }).catch(() => undefined);
  }

  private ensureSubscribed(): Promise<void> {
    this.subscribing ??= this.replies
      .subscribe(this.channel, (message) => this.receive(message))
      .then((unsubscribe) => void (this.unsubscribe = unsubscribe))
      .catch((error: unknown) => {
        this.subscribing = undefined;
        throw error;
      });
    return this.subscribing;
  }

  private receive(message: unknown): void {
    const envelope = reasoningReplyEnvelopeSchema.safeParse(message);
    if (envelope.success) this.waiting.get(envelope.data.runId)?.(envelope.data.reply);
  }
}
