import {
  CallToolRequestSchema,
  GetPromptRequestSchema,
  isInitializeRequest,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ReadResourceRequestSchema,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js';
import { allowsAction, type Action, type AuditOutcome, type CallerScope } from '@candor/contracts';
import { promptIdOf } from './prompts/prompt-name.js';
import { readSourceItemUri } from './resources/source-item-uri.js';
import { findTool } from './tools/mcp-tools.js';

/**
 * The methods of messages that no route answers: they have the exchange's own audit event, all others that of their route.
 * A name that is no method's is the caller's text, and not repeated.
 */
export function methodsWithoutRoute(
  messages: readonly JSONRPCMessage[],
  scope: CallerScope,
): { methods: string[]; outcome: AuditOutcome } {
  const own = messages.filter((message) => !hasRoute(message, scope));
  const methods = [...new Set(own.map(methodOf))].slice(0, 20);
  return { methods, outcome: own.some((message) => callOf(message)) ? 'refused' : 'succeeded' };
}

export function isNotification(message: JSONRPCMessage): boolean {
  return !('id' in message);
}

/** Who calls, as the client says it itself. */
export function clientOf(messages: readonly JSONRPCMessage[]): { name: string; version: string } | undefined {
  for (const message of messages) {
    if (!isInitializeRequest(message)) continue;
    const { name, version } = message.params.clientInfo;
    return { name: name.slice(0, 100), version: version.slice(0, 100) };
  }
  return undefined;
}

/** Ids of calls that the client gives up. */
export function cancelledIds(messages: readonly JSONRPCMessage[]): (string | number)[] {
  return messages.flatMap((message) => {
    if (!('method' in message) || message.method !== 'notifications/cancelled') return [];
    const callId = (paramsOf(message) as { requestId?: unknown }).requestId;
    return typeof callId === 'string' || typeof callId === 'number' ? [callId] : [];
  });
}

/** Methods that stand for routes, and what they must be asked with; without the action they are not offered at all. */
const CALLS: Readonly<Record<string, { action?: Action; isWhole: (message: JSONRPCMessage) => boolean }>> = {
  'tools/call': {
    isWhole: (message) => {
      const call = CallToolRequestSchema.safeParse(message);
      return call.success && findTool(call.data.params.name) !== undefined;
    },
  },
  'resources/list': {
    action: 'documents:read',
    isWhole: (message) => ListResourcesRequestSchema.safeParse(message).success,
  },
  'resources/read': {
    action: 'documents:read',
    isWhole: (message) => {
      const read = ReadResourceRequestSchema.safeParse(message);
      return read.success && readSourceItemUri(read.data.params.uri) !== null;
    },
  },
  'prompts/list': {
    action: 'prompts:*',
    isWhole: (message) => ListPromptsRequestSchema.safeParse(message).success,
  },
  'prompts/get': {
    action: 'prompts:*',
    isWhole: (message) => {
      const get = GetPromptRequestSchema.safeParse(message);
      return get.success && promptIdOf(get.data.params.name) !== null;
    },
  },
};

function callOf(message: JSONRPCMessage) {
  return 'method' in message && Object.hasOwn(CALLS, message.method) ? CALLS[message.method] : undefined;
}

function hasRoute(message: JSONRPCMessage, scope: CallerScope): boolean {
  const call = isNotification(message) ? undefined : callOf(message);
  if (!call || (call.action && !allowsAction(scope, call.action))) return false;
  return call.isWhole(message);
}

function paramsOf(message: JSONRPCMessage): object {
  return ('params' in message ? message.params : undefined) ?? {};
}

function methodOf(message: JSONRPCMessage): string {
  if (!('method' in message)) return 'response';
  return /^[a-z]+(\/[a-z_]+){0,2}$/i.test(message.method) && message.method.length <= 64 ? message.method : 'unknown';
}
