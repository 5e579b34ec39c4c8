import { Controller, Req } from '@nestjs/common';
import type { Request } from 'express';
import { slackEventsRoute, type ResponseOf } from '@candor/contracts';
import { Contract } from '@candor/runtime';
import { SlackEventsService } from './slack-events.service.js';

@Controller()
export class SlackEventsController {
  constructor(private readonly events: SlackEventsService) {}

  /** The body is what was sent, byte by byte (`signedBodyMiddleware`): that is what the signature is over. */
  @Contract(slackEventsRoute, { readsRequest: true })
  take(@Req() request: Request<{ id: string }>): Promise<ResponseOf<typeof slackEventsRoute>> {
    const body: unknown = request.body;
    return this.events.take(request.params.id, {
      body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
      timestamp: request.get('x-slack-request-timestamp'),
      signature: request.get('x-slack-signature'),
    });
  }
}
