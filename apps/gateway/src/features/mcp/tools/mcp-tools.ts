import { contextTool } from './context.tool.js';
import { deepExpandTool } from './deep-expand.tool.js';
import { deepReadTool } from './deep-read.tool.js';
import { deepSearchTool } from './deep-search.tool.js';
import { deepSessionTool } from './deep-session.tool.js';
import type { McpTool } from './define-tool.js';
import { findItemsTool } from './find-items.tool.js';
import { getSourceItemTool } from './get-source-item.tool.js';
import { reasonTool } from './reason.tool.js';
import { reasoningTool } from './reasoning.tool.js';
import { searchTool } from './search.tool.js';
import { verifyCitationsTool } from './verify-citations.tool.js';

/** In the order in which they are listed. */
export const MCP_TOOLS: readonly McpTool[] = [
  searchTool,
  contextTool,
  reasonTool,
  reasoningTool,
  findItemsTool,
  deepSearchTool,
  deepSessionTool,
  deepReadTool,
  deepExpandTool,
  getSourceItemTool,
  verifyCitationsTool,
];

export function findTool(name: string): McpTool | undefined {
  return MCP_TOOLS.find(({ listing }) => listing.name === name);
}
