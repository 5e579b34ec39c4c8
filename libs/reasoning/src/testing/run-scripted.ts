import { reason } from '../run/reason.js';
import type { ReasoningRequest, ReasoningRuntime } from '../run/reasoning-request.js';
import type { ReasoningResponse } from '../run/reasoning-response.js';

export const QUERY = 'Which interface is required?';

/** A run of tenant-a over scripted ports; four characters count as a token. */
export function run(
  request: Partial<ReasoningRequest> & Pick<ReasoningRequest, 'providers'>,
  runtime: ReasoningRuntime = {},
): Promise<ReasoningResponse> {
  return reason(
    { query: QUERY, tenantId: 'tenant-a', ...request },
    { countTokens: (text) => Math.ceil(text.length / 4), ...runtime },
  );
}
