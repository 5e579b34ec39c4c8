import type { Caller } from '../../access/caller.js';

/** One HTTP request of an MCP client: a message, or with the protocol's older versions several. */
export interface McpExchange {
  /** Of the HTTP request. */
  requestId: string;
  caller: Caller;
  /** null = the client sends none, and can cancel only by hanging up. */
  sessionId: string | null;
  /** More than one message came; what each needs of its own must not touch the others. */
  isBatch: boolean;
  /** Fires when the client hangs up: no answer could reach it any more. */
  signal: AbortSignal;
  /** Of the HTTP request for its first call; further ones of a batch get their own, since each has its own audit event. */
  takeRequestId: () => string;
}
