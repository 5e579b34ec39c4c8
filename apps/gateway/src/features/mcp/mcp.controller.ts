import { Controller, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AppError, mcpEndRoute, mcpRoute, mcpStreamRoute } from '@candor/contracts';
import { Contract } from '@candor/runtime';
import { McpExchangesService } from './mcp-exchanges.service.js';

@Controller()
export class McpController {
  constructor(private readonly exchanges: McpExchangesService) {}

  @Contract(mcpRoute, { readsRequest: true })
  exchange(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.exchanges.handle(request, response);
  }

  @Contract(mcpStreamRoute, { readsRequest: true })
  stream(@Res({ passthrough: true }) response: Response): never {
    return refuseMethod(response);
  }

  @Contract(mcpEndRoute, { readsRequest: true })
  end(@Res({ passthrough: true }) response: Response): never {
    return refuseMethod(response);
  }
}

function refuseMethod(response: Response): never {
  response.setHeader('Allow', 'POST');
  throw new AppError('REQUEST.METHOD_NOT_ALLOWED', { message: 'There is nothing here but POST: no session is kept.' });
}
