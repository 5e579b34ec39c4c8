/** Injection token of the reply channel. */
export const REPLY_CHANNEL = Symbol('ReplyChannel');
