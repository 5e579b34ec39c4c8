import { AppError } from '@candor/contracts';
import type { ReplyChannel, ReplyErrorListener, ReplyHandler, Unsubscribe } from './reply-channel.js';
import { ReplySubscriptions } from './reply-subscriptions.js';

/** For one process: all parties share this instance. */
export class InProcessReplyChannel implements ReplyChannel {
  private readonly subscriptions: ReplySubscriptions;
  private closed = false;

  constructor(onError: ReplyErrorListener) {
    this.subscriptions = new ReplySubscriptions(onError);
  }

  async publish(channel: string, message: unknown): Promise<void> {
    this.assertOpen();
    const text = JSON.stringify(message);
    // Later, as over a network: a subscriber never runs inside its publisher's call.
    setImmediate(() => this.subscriptions.deliver(channel, text));
  }

  async subscribe(channel: string, handler: ReplyHandler): Promise<Unsubscribe> {
    this.assertOpen();
    const remove = this.subscriptions.add(channel, handler);
    return async () => remove();
  }

  async close(): Promise<void> {
    this.closed = true;
    this.subscriptions.clear();
  }

  private assertOpen(): void {
    if (this.closed) throw new AppError('DEPENDENCY.QUEUE_UNAVAILABLE', { cause: new Error('The channel is closed.') });
  }
}
