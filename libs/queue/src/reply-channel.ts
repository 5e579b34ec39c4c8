export type ReplyHandler = (message: unknown) => void | Promise<void>;
export type Unsubscribe = () => Promise<void>;

/**
 * Fire-and-forget messages between instances: answers to a waiting gateway, cancellations to every worker.
 * A message reaches those who are subscribed at that moment and nobody else; a lost one shows as the waiter's timeout.
 * Messages are JSON values: each subscriber gets its own copy, to be parsed by its contract.
 */
export interface ReplyChannel {
  /** Resolves when the message is handed over, also if nobody listens. Rejects with `DEPENDENCY.QUEUE_UNAVAILABLE`. */
  publish(channel: string, message: unknown): Promise<void>;
  /** Resolves once messages published from now on will arrive. Rejects with `DEPENDENCY.QUEUE_UNAVAILABLE`. */
  subscribe(channel: string, handler: ReplyHandler): Promise<Unsubscribe>;
  close(): Promise<void>;
}

/** Told of handlers that throw and messages that are not JSON; nobody else could hear of them. */
export type ReplyErrorListener = (channel: string, error: unknown) => void;
