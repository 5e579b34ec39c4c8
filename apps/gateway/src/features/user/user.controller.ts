import { Controller, Inject } from '@nestjs/common';
import { callerRoute, capabilitiesRoute, type ResponseOf } from '@candor/contracts';
import { Contract } from '@candor/runtime';
import { requireCaller } from '../../access/caller.js';
import { OFFERED_TOOLS } from '../../tokens.js';
import { describeCapabilities, type OfferedTool } from './describe-capabilities.js';

/** What a caller may ask about itself. */
@Controller()
export class UserController {
  constructor(@Inject(OFFERED_TOOLS) private readonly tools: readonly OfferedTool[]) {}

  @Contract(callerRoute)
  whoAmI(): ResponseOf<typeof callerRoute> {
    const { apiKey } = requireCaller();
    return {
      data: {
        id: apiKey.id,
        name: apiKey.name,
        email: null,
        externalId: null,
        authMethod: 'api_key',
        permissions: apiKey.allowedActions,
      },
    };
  }

  @Contract(capabilitiesRoute)
  capabilities(): ResponseOf<typeof capabilitiesRoute> {
    return { data: describeCapabilities(this.tools, requireCaller()) };
  }
}
