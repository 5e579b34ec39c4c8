import {
  StreamableHTTPError,
  type StreamableHTTPClientTransport,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { isInitializeRequest, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

/** The range that JSON-RPC leaves to servers. */
const SERVER_ERROR = -32000;

/**
 * Hands messages on between a client at this end and a gateway at the other, both ways, until the client goes. Nothing is
 * looked into but the answer to `initialize`, whose protocol version the transport has to know. What the gateway
 * refuses as a whole becomes the error of the message.
 */
export async function relayMessages(client: Transport, gateway: StreamableHTTPClientTransport): Promise<void> {
  const gone = new Promise<void>((resolve) => (client.onclose = resolve));
  let initializeId: string | number | undefined;
  client.onmessage = (message) => {
    if (isInitializeRequest(message)) initializeId = (message as { id: string | number }).id;
    gateway.send(message).catch((error: unknown) => {
      // Of a notification nobody awaits an answer.
      if (!('method' in message) || !('id' in message)) return;
      void client.send({ jsonrpc: '2.0', id: message.id, error: { code: SERVER_ERROR, message: describe(error) } });
    });
  };
  gateway.onmessage = (message: JSONRPCMessage) => {
    if ('result' in message && message.id === initializeId) {
      const { protocolVersion } = message.result as { protocolVersion?: unknown };
      if (typeof protocolVersion === 'string') gateway.setProtocolVersion(protocolVersion);
    }
    void client.send(message);
  };
  await gateway.start();
  await client.start();
  await gone;
  await gateway.close();
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
