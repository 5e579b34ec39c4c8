import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { AppError, MCP_CANCEL_CHANNEL, mcpCancellationSchema, type McpCancellation } from '@candor/contracts';
import type { ReplyChannel } from '@candor/queue';
import { LRUCache } from 'lru-cache';
import { REPLY_CHANNEL } from '../../tokens.js';

/**
 * Calls of this gateway that can be cancelled. A cancellation is a request of its own and may come in at any replica, so
 * it is told to all of them. Ids of calls are the client's own: the session keeps those of one key's clients apart.
 */
@Injectable()
export class RunningCallsService implements OnModuleInit, OnModuleDestroy {
  private readonly running = new Map<string, Set<AbortController>>();
  /** A cancellation may overtake its call: both are requests of their own. */
  private readonly cancelledBefore = new LRUCache<string, true>({ max: 1_000, ttl: 60_000 });
  private unsubscribe: (() => Promise<void>) | undefined;
  private subscribing: Promise<void> | undefined;

  constructor(@Inject(REPLY_CHANNEL) private readonly replies: ReplyChannel) {}

  async onModuleInit(): Promise<void> {
    // A gateway starts without Redis too; the next call then tries again.
    await this.ensureSubscribed().catch(() => undefined);
  }

  async onModuleDestroy(): Promise<void> {
    await this.unsubscribe?.();
  }

  /** Runs `work` with a signal that fires (REQUEST.CANCELLED) when the call is cancelled, at whichever replica. */
  async run<Result>(call: McpCancellation, work: (cancelled: AbortSignal) => Promise<Result>): Promise<Result> {
    // While the channel is down, a call can only be cancelled here and by hanging up.
    void this.ensureSubscribed().catch(() => undefined);
    const controller = new AbortController();
    const name = nameOf(call);
    const others = this.running.get(name) ?? new Set();
    this.running.set(name, others.add(controller));
    if (this.cancelledBefore.delete(name)) controller.abort(new AppError('REQUEST.CANCELLED'));
    try {
      return await work(controller.signal);
    } finally {
      others.delete(controller);
      if (others.size === 0) this.running.delete(name);
    }
  }

  /** Errors: DEPENDENCY.QUEUE_UNAVAILABLE when the call isn't here and the others can't be told. */
  async cancel(call: McpCancellation): Promise<void> {
    if (!this.abort(call)) await this.replies.publish(MCP_CANCEL_CHANNEL, call);
  }

  private abort(call: McpCancellation): boolean {
    const controllers = this.running.get(nameOf(call));
    controllers?.forEach((controller) => controller.abort(new AppError('REQUEST.CANCELLED')));
    return controllers !== undefined;
  }

  private ensureSubscribed(): Promise<void> {
    this.subscribing ??= this.replies
      .subscribe(MCP_CANCEL_CHANNEL, (message) => {
        const call = mcpCancellationSchema.safeParse(message);
        if (call.success && !this.abort(call.data)) this.cancelledBefore.set(nameOf(call.data), true);
      })
      .then((unsubscribe) => void (this.unsubscribe = unsubscribe))
      .catch((error: unknown) => {
        this.subscribing = undefined;
        throw error;
      });
    return this.subscribing;
  }
}

function nameOf({ apiKeyId, sessionId, callId }: McpCancellation): string {
  return JSON.stringify([apiKeyId, sessionId, callId]);
}
