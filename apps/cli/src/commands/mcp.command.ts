import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Command } from 'commander';
import { readConnection } from '../config.js';
import { openGateway } from '../mcp/open-gateway.js';
import { relayMessages } from '../mcp/relay-messages.js';
import type { CliContext } from '../run-cli.js';

const EXAMPLES = `
Examples:
  $ CANDOR_API_KEY=gm_… candor mcp
  A client's configuration: {"mcpServers":{"candor":{"command":"node","args":["<folder of Candor>/apps/cli/bin/candor.mjs","mcp"],"env":{"CANDOR_API_KEY":"gm_…"}}}}

Clients that speak streamable HTTP need no proxy: give them <gateway>/mcp and the key as a bearer token.
Exit code: 0 when the client has gone, 2 without an address or key.`;

export function addMcpCommand(program: Command, { environment, streams }: CliContext): void {
  program
    .command('mcp')
    .description('Serve MCP on standard input and output, for clients that start programs; passes on to the gateway.')
    .option('--url <url>', 'address of the gateway, before CANDOR_URL')
    .addHelpText('after', EXAMPLES)
    .action(async (options: { url?: string }) => {
      const { url, apiKey } = readConnection(environment, options);
      const input = streams.in as Readable;
      const client = new StdioServerTransport(input, streams.out as Writable);
      // Standard output is the protocol's: nothing else is written there.
      input.once('end', () => void client.close());
      await relayMessages(client, openGateway(url, apiKey));
    });
}
