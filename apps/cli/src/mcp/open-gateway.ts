import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { isJSONRPCRequest, type RequestId } from '@modelcontextprotocol/sdk/types.js';
import { SERVER_ERROR } from './server-error.js';

/**
 * The gateway's end of `relayMessages`. The SDK tells nobody when the stream of a request ends without its answer, so
 * every stream of a request is given an answer for its end: that the connection broke. Behind the gateway's own it is one too
 * many, and the relay leaves it out.
 */
export function openGateway(url: string, apiKey: string): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${apiKey}` } },
    fetch: async (address, init) => {
      const response = await fetch(address, init);
      const id = requestIdOf(init?.body);
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
      if (id === undefined || response.body === null || !isStream) return response;
      const { status, statusText, headers } = response;
      return new Response(ReadableStream.from(withLastAnswer(response.body, id)), { status, statusText, headers });
    },
  });
}

function requestIdOf(body: unknown): RequestId | undefined {
  const message: unknown = typeof body === 'string' ? JSON.parse(body) : null;
  return isJSONRPCRequest(message) ? message.id : undefined;
}

async function* withLastAnswer(body: ReadableStream<Uint8Array>, id: RequestId): AsyncGenerator<Uint8Array> {
  try {
    for await (const part of body) yield part;
  } catch {
    // Whether the stream ended or broke, its request got no other answer than this one.
  }
  const error = { code: SERVER_ERROR, message: 'The connection to the gateway broke before its answer came.' };
  // The empty line ends an event that broke off in its middle.
  yield new TextEncoder().encode(`\n\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, error })}\n\n`);
}
