import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { relayMessages } from './relay-messages.js';

const KEY = 'Bearer gm_test_key';

/** Stands for the gateway: a server for each request, keys, and no stream of its own. */
async function startGateway(onBody: (body: string) => void): Promise<Server> {
  const server = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const part of request) body += String(part);
      onBody(body);
      if (request.headers.authorization !== KEY)
        return void response.writeHead(401).end(JSON.stringify({ error: { message: 'The API key is unknown.' } }));
      if (request.method !== 'POST') return void response.writeHead(405).end();
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
  afterEach(async () => {
    await client.close();
    await ended;
    gateway?.closeAllConnections();
    gateway?.close();
    bodies.length = 0;
  });

  async function connect(authorization = KEY, isUp = true): Promise<void> {
    gateway = await startGateway((body) => bodies.push(body));
    const { port } = gateway.address() as AddressInfo;
    if (!isUp) await new Promise((resolve) => gateway?.close(resolve));
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const http = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), {
      requestInit: { headers: { authorization } },
    });
    ended = relayMessages(theirs, http);
    client = new Client({ name: 'spec', version: '1' });
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
    await expect(connect('Bearer wrong')).rejects.toThrow('The API key is unknown.');
  });

  it('tells the client that nobody listens', async () => {
    await expect(connect(KEY, false)).rejects.toThrow('The gateway cannot be reached.');
  });
});
