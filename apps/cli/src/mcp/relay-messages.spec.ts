import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { openGateway } from './open-gateway.js';
import { relayMessages } from './relay-messages.js';

const KEY = 'gm_test_key';
/** Tools that begin an answer, an event stream, and go away: the socket's end, or in order. */
const BREAKS: Readonly<Record<string, { written: string; isOrderly: boolean }>> = {
  'break at once': { written: ':\n', isOrderly: false },
  'break within an event': { written: 'event: message\ndata: {"jsonrpc":"2.0","id":', isOrderly: false },
  'end without an answer': { written: ': nothing yet\n\n', isOrderly: true },
};

/** Stands for the gateway: a server for each request, keys, and no stream of its own. */
async function startGateway(onBody: (body: string) => void): Promise<Server> {
  const server = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const part of request) body += String(part);
      onBody(body);
      if (request.headers.authorization !== `Bearer ${KEY}`)
        return void response.writeHead(401).end(JSON.stringify({ error: { message: 'The API key is unknown.' } }));
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const { written, isOrderly } =
        BREAKS[(JSON.parse(body) as { params?: { name?: string } }).params?.name ?? ''] ?? {};
      if (written !== undefined) {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(written);
        if (isOrderly) response.end();
        else setTimeout(() => request.socket.destroy(), 50);
        return;
      }
      const mcp = new McpServer({ name: 'stand-in', version: '1' });
      mcp.registerTool('ask', { description: 'Answers.' }, async ({ _meta: meta, sendNotification }) => {
        const progressToken = meta?.progressToken;
        if (progressToken !== undefined)
          await sendNotification({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
        return { content: [{ type: 'text', text: 'an answer' }] };
      });
      mcp.registerTool('wait', { description: 'Never answers.' }, () => new Promise<never>(() => undefined));
      const transport = new StreamableHTTPServerTransport();
      await mcp.connect(transport);
      await transport.handleRequest(request, response, JSON.parse(body));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

describe('relayMessages', () => {
  let gateway: Server | undefined;
  let ended: Promise<void> | undefined;
  let client: Client;
  const bodies: string[] = [];
  /** Of the client: a second answer to a request is one. */
  const complaints: string[] = [];
  afterEach(async () => {
    await client.close();
    await ended;
    gateway?.closeAllConnections();
    gateway?.close();
    bodies.length = 0;
  });

  async function connect(key = KEY, isUp = true): Promise<void> {
    gateway = await startGateway((body) => bodies.push(body));
    const { port } = gateway.address() as AddressInfo;
    if (!isUp) await new Promise((resolve) => gateway?.close(resolve));
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    ended = relayMessages(theirs, openGateway(`http://127.0.0.1:${port}`, key));
    client = new Client({ name: 'spec', version: '1' });
    complaints.length = 0;
    client.onerror = (error) => complaints.push(error.message);
    await client.connect(ours);
  }

  it('hands calls, results and progress on', async () => {
    await connect();
    expect(client.getServerVersion()).toEqual({ name: 'stand-in', version: '1' });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['ask', 'wait']);
    const told: number[] = [];
    const result = await client.callTool({ name: 'ask' }, undefined, {
      onprogress: ({ progress }) => told.push(progress),
    });
    expect(result.content).toEqual([{ type: 'text', text: 'an answer' }]);
    expect(told).toEqual([1]);
    await client.ping();
    expect(complaints).toEqual([]);
  });

  it.each(Object.keys(BREAKS))('answers a call itself when the gateway goes away: %s', async (name) => {
    await connect();
    await expect(client.callTool({ name })).rejects.toMatchObject({
      code: -32000,
      message: expect.stringContaining('The connection to the gateway broke before its answer came.'),
    });
    expect((await client.callTool({ name: 'ask' })).content).toEqual([{ type: 'text', text: 'an answer' }]);
    expect(complaints).toEqual([]);
  });

  it('answers no call that was cancelled', async () => {
    await connect();
    const abort = new AbortController();
    const call = client.callTool({ name: 'wait' }, undefined, { signal: abort.signal });
    while (!bodies.some((body) => body.includes('"wait"'))) await new Promise((resolve) => setImmediate(resolve));
    abort.abort();
    await expect(call).rejects.toThrow();
    gateway?.closeAllConnections();
    await client.ping();
    expect(complaints).toEqual([]);
  });

  it('hands a cancellation on', async () => {
    await connect();
    const abort = new AbortController();
    const call = client.callTool({ name: 'wait' }, undefined, { signal: abort.signal });
    abort.abort();
    await expect(call).rejects.toThrow();
    while (!bodies.some((body) => body.includes('notifications/cancelled')))
      await new Promise((resolve) => setImmediate(resolve));
  });

  it('tells the client in the gateway’s words that the key is refused', async () => {
    await expect(connect('wrong')).rejects.toThrow('The API key is unknown.');
  });

  it('tells the client that nobody listens', async () => {
    await expect(connect(KEY, false)).rejects.toThrow('The gateway cannot be reached.');
  });
});
