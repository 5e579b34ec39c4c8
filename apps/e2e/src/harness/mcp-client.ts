import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { ApiClient } from '@candor/testkit';
import { CANDOR_PROGRAM } from './run-candor.js';

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

/** The same client over standard input and output of `candor mcp`. */
export async function connectStdio({ url, key }: ApiClient): Promise<Client> {
  const client = new Client({ name: 'end-to-end', version: '1' });
  const env = { PATH: process.env['PATH'] ?? '', CANDOR_URL: url, CANDOR_API_KEY: key ?? '' };
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [CANDOR_PROGRAM, 'mcp'], env }));
  return client;
}

export async function callTool(client: Client, name: string, args: object): Promise<CallToolResult> {
  return (await client.callTool({ name, arguments: { ...args } })) as CallToolResult;
}

export function textOf({ content: [content] }: CallToolResult): string {
  return content?.type === 'text' ? content.text : '';
}

/** What a call that has to succeed gives. */
export function contentOf(result: CallToolResult): unknown {
  if (result.isError) throw new Error(textOf(result));
  return result.structuredContent;
}

export function requestIdOf({ _meta: meta }: CallToolResult): string {
  return String(meta?.['candor/requestId']);
}
