import { isInitializeRequest, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { promptIdOf } from './prompts/prompt-name.js';
import { readSourceItemUri } from './source-item-resource.js';
import { findTool } from './tools/mcp-tools.js';

/**
 * The methods of messages that no route answers: they have the exchange's own audit event, all others that of their route.
 * A name that is no method's is the caller's text, and not repeated.
 */
export function methodsWithoutRoute(messages: readonly JSONRPCMessage[]): string[] {
  const methods = messages.filter((message) => !hasRoute(message)).map(methodOf);
  return [...new Set(methods)].slice(0, 20);
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

function hasRoute(message: JSONRPCMessage): boolean {
  if (!('method' in message) || isNotification(message)) return false;
  const params = paramsOf(message) as { name?: unknown; uri?: unknown };
  switch (message.method) {
    case 'tools/call':
      return typeof params.name === 'string' && findTool(params.name) !== undefined;
    case 'resources/read':
      return typeof params.uri === 'string' && readSourceItemUri(params.uri) !== null;
    case 'prompts/list':
      return true;
    case 'prompts/get':
      return typeof params.name === 'string' && promptIdOf(params.name) !== null;
    default:
      return false;
  }
}

function paramsOf(message: JSONRPCMessage): object {
  return ('params' in message ? message.params : undefined) ?? {};
}

function methodOf(message: JSONRPCMessage): string {
  if (!('method' in message)) return 'response';
  return /^[a-z]+(\/[a-z_]+){0,2}$/i.test(message.method) && message.method.length <= 64 ? message.method : 'unknown';
}
