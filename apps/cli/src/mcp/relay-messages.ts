import {
  StreamableHTTPError,
  type StreamableHTTPClientTransport,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CancelledNotificationSchema,
  isInitializeRequest,
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { SERVER_ERROR } from './server-error.js';

/**
 * Hands messages on between a client at this end and a gateway (`openGateway`) at the other, both ways, until the client
 * goes. Every request gets one answer: what the gateway refuses as a whole becomes the error of the message, and so does a
 * connection that breaks. Nothing else is looked into but the answer to `initialize`, whose protocol version the transport
 * has to know, and which requests are cancelled: those get none.
 */
export async function relayMessages(client: Transport, gateway: StreamableHTTPClientTransport): Promise<void> {
  const gone = new Promise<void>((resolve) => (client.onclose = resolve));
  const unanswered = new Set<RequestId>();
  let initializeId: RequestId | undefined;
  const answer = (id: RequestId, message: JSONRPCMessage): void => {
    if (unanswered.delete(id)) void client.send(message);
  };
  client.onmessage = (message) => {
    if (isJSONRPCRequest(message)) unanswered.add(message.id);
    if (isInitializeRequest(message)) initializeId = (message as { id: RequestId }).id;
    const cancelled = cancelledId(message);
    if (cancelled !== undefined) unanswered.delete(cancelled);
    gateway.send(message).catch((error: unknown) => {
      // Of a notification nobody awaits an answer.
      if (!isJSONRPCRequest(message)) return;
      const { id } = message;
      answer(id, { jsonrpc: '2.0', id, error: { code: SERVER_ERROR, message: describe(error) } });
    });
  };
  gateway.onmessage = (message) => {
    if (isJSONRPCResultResponse(message) && message.id === initializeId) {
      const { protocolVersion } = message.result as { protocolVersion?: unknown };
      if (typeof protocolVersion === 'string') gateway.setProtocolVersion(protocolVersion);
    }
    const isAnswer = isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message);
    if (isAnswer && message.id !== undefined) answer(message.id, message);
    else void client.send(message);
  };
  await gateway.start();
  await client.start();
  await gone;
  // Closing breaks what is under way, and nobody is left to hear of it.
  unanswered.clear();
  await gateway.close();
}

function cancelledId(message: JSONRPCMessage): RequestId | undefined {
  const cancelled = CancelledNotificationSchema.safeParse(message);
  return cancelled.data?.params.requestId;
}

/** The gateway's own words where it has some. */
function describe(error: unknown): string {
  const text = error instanceof Error ? error.message : '';
  const start = text.indexOf('{"error":');
  if (start >= 0) {
    try {
      const { error: refusal } = JSON.parse(text.slice(start)) as { error?: { message?: unknown } };
      if (typeof refusal?.message === 'string') return refusal.message;
    } catch {
      // No answer of the gateway's after all.
    }
  }
  if (error instanceof StreamableHTTPError) return `The gateway answered ${error.code ?? 'nothing'}.`;
  return 'The gateway cannot be reached.';
}
