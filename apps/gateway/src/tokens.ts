/** Injection tokens of things without a class of their own. */
export const GATEWAY_LIMITS = Symbol('GatewayLimits');
export const REPLY_CHANNEL = Symbol('ReplyChannel');
