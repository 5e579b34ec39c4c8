import type { ReplyErrorListener, ReplyHandler } from './reply-channel.js';

/** Who listens to what; one handler's failure is not another's. */
export class ReplySubscriptions {
  private readonly handlers = new Map<string, Set<ReplyHandler>>();

  constructor(private readonly onError: ReplyErrorListener) {}

  /** The same function may be added twice; each removal takes one. */
  add(channel: string, handler: ReplyHandler): () => void {
    const entry: ReplyHandler = (message) => handler(message);
    const handlers = this.handlers.get(channel) ?? new Set();
    this.handlers.set(channel, handlers.add(entry));
    return () => {
      handlers.delete(entry);
      if (handlers.size === 0 && this.handlers.get(channel) === handlers) this.handlers.delete(channel);
    };
  }

  has(channel: string): boolean {
    return this.handlers.has(channel);
  }

  clear(): void {
    this.handlers.clear();
  }

  deliver(channel: string, text: string): void {
    for (const handler of [...(this.handlers.get(channel) ?? [])]) void this.handle(channel, handler, text);
  }

  private async handle(channel: string, handler: ReplyHandler, text: string): Promise<void> {
    try {
      const message: unknown = JSON.parse(text);
      await handler(message);
    } catch (error) {
      this.onError(channel, error);
    }
  }
}
