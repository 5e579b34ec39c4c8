import { Controller, Inject, Req } from '@nestjs/common';
import type { Request } from 'express';
import { Operational, OperationalGet } from '@candor/runtime';
import { MCP_ADDRESS } from '../../tokens.js';
import type { McpAddress } from './mcp-environment.js';
import { describeProtectedResource, METADATA_PATH } from './protected-resource.js';

/** What an MCP client has to know before it has a key; public, as it says nothing about any tenant. */
@Operational()
@Controller()
export class ProtectedResourceController {
  constructor(@Inject(MCP_ADDRESS) private readonly address: McpAddress) {}

  @OperationalGet(METADATA_PATH)
  describe(@Req() request: Request): Record<string, unknown> {
    return describeProtectedResource(request, this.address);
  }

  /** The form with the resource's path at its end. */
  @OperationalGet(`${METADATA_PATH}/mcp`)
  describeEndpoint(@Req() request: Request): Record<string, unknown> {
    return describeProtectedResource(request, this.address);
  }
}
