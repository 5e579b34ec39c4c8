/** Injection tokens of things without a class of their own. */
/** `AddressRules`: which addresses a source may have. */
export const ADDRESS_RULES = Symbol('AddressRules');
/** `McpAddress`: where clients of MCP reach this gateway, and whose pages may. */
export const MCP_ADDRESS = Symbol('McpAddress');
export const GATEWAY_LIMITS = Symbol('GatewayLimits');
/** `OfferedTool[]`: what the MCP endpoint offers. */
export const OFFERED_TOOLS = Symbol('OfferedTools');
export const REPLY_CHANNEL = Symbol('ReplyChannel');
