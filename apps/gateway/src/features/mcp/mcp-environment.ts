import { z } from 'zod';

const originsFromEnv = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((origin) => origin.trim())
      .filter((origin) => origin !== ''),
  )
  .pipe(z.array(z.url({ protocol: /^https?$/, error: 'must be origins like https://app.example.com' })));

/** What the environment says about the gateway's own address, for MCP clients and the pages that may call it. */
export const mcpEnvironment = {
  CANDOR_PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Address under which clients reach the gateway, for the metadata of MCP; default: that of the request.'),
  CANDOR_MCP_ORIGINS: originsFromEnv.describe(
    'Origins, comma-separated, whose pages may call /mcp besides those of `CANDOR_PUBLIC_URL` and of this machine.',
  ),
};

export interface McpAddress {
  /** Without a slash at its end; null = as the request says. */
  publicUrl: string | null;
  /** Of pages that may call, beside the gateway's own and those of this machine. */
  origins: readonly string[];
}

export function mcpAddressFrom(config: {
  CANDOR_PUBLIC_URL?: string | undefined;
  CANDOR_MCP_ORIGINS: readonly string[];
}): McpAddress {
  return {
    publicUrl: config.CANDOR_PUBLIC_URL?.replace(/\/+$/, '') ?? null,
    origins: config.CANDOR_MCP_ORIGINS.map((origin) => new URL(origin).origin),
  };
}
