import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { AppError, REASONING_CANCEL_CHANNEL, reasoningCancelSchema } from '@candor/contracts';
import type { ReplyChannel } from '@candor/queue';
import { REPLY_CHANNEL } from './tokens.js';

/** Remembered for a while: a cancellation can overtake its job. */
const REMEMBERED = 1_000;

/** The questions under way here, so that they end when their caller hangs up. */
@Injectable()
export class RunningQuestions implements OnModuleInit, OnModuleDestroy {
  private readonly controllers = new Map<string, AbortController>();
  private readonly cancelled = new Set<string>();
  private unsubscribe: (() => Promise<void>) | undefined;

  constructor(@Inject(REPLY_CHANNEL) private readonly replies: ReplyChannel) {}

  async onModuleInit(): Promise<void> {
    this.unsubscribe = await this.replies.subscribe(REASONING_CANCEL_CHANNEL, (message) => {
      const parsed = reasoningCancelSchema.safeParse(message);
      if (parsed.success) this.cancel(parsed.data.runId);
    });
  }

  async onModuleDestroy(): Promise<void> {
    await this.unsubscribe?.();
  }

  async run<Result>(
    runId: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const controller = new AbortController();
    if (this.cancelled.delete(runId)) controller.abort(new AppError('REQUEST.CANCELLED'));
    this.controllers.set(runId, controller);
    try {
      return await work(AbortSignal.any([signal, controller.signal]));
    } finally {
      this.controllers.delete(runId);
    }
  }

  private cancel(runId: string): void {
    const controller = this.controllers.get(runId);
    if (controller) controller.abort(new AppError('REQUEST.CANCELLED'));
    else this.remember(runId);
  }

  private remember(runId: string): void {
    this.cancelled.add(runId);
    const [oldest] = this.cancelled;
    if (this.cancelled.size > REMEMBERED && oldest !== undefined) this.cancelled.delete(oldest);
  }
}
