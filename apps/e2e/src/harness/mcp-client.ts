import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { ApiClient } from '@candor/testkit';

/** The official client, connected with the key of a caller. */
export async function connectMcp({ url, key }: ApiClient): Promise<Client> {
  const client = new Client({ name: 'end-to-end', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  );
  return client;
}

export async function callTool(client: Client, name: string, args: object): Promise<CallToolResult> {
  return (await client.callTool({ name, arguments: { ...args } })) as CallToolResult;
}

export function textOf({ content: [content] }: CallToolResult): string {
  return content?.type === 'text' ? content.text : '';
}

export function requestIdOf({ _meta: meta }: CallToolResult): string {
  return String(meta?.['candor/requestId']);
}
