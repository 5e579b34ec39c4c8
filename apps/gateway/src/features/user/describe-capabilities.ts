import {
  allowsAction,
  createDocumentRoute,
  DEFAULT_BODY_LIMIT_BYTES,
  ingestRoute,
  type Action,
  type Capabilities,
  type RouteContract,
} from '@candor/contracts';
import type { Caller } from '../../access/caller.js';

/** A tool of the MCP endpoint, and the route that answers it. */
export interface OfferedTool {
  name: string;
  description: string;
  route: Pick<RouteContract, 'method' | 'path' | 'action'>;
}

/** As the contracts have them, which `describe-capabilities.spec.ts` compares. */
const LIMITS = {
  queryCharacters: 2_000,
  searchHits: 25,
  passages: 50,
  foundItems: 50,
  listPage: 100,
  ingestDocuments: 500,
  bodyBytes: DEFAULT_BODY_LIMIT_BYTES,
  ingestBodyBytes: ingestRoute.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES,
  uploadBytes: createDocumentRoute.upload?.fileBytes ?? DEFAULT_BODY_LIMIT_BYTES,
};

/** What there is, what of it this key may use, and how much at a time. */
export function describeCapabilities(
  tools: readonly OfferedTool[],
  { scope, apiKey }: Pick<Caller, 'scope' | 'apiKey'>,
): Capabilities {
  return {
    name: 'candor',
    apiVersion: 'v1',
    tools: tools.map(({ name, description, route }) => {
      // Every tool needs an action; none is for the bearers of signatures.
      const action = route.action as Action;
      return {
        name,
        description,
        endpoint: `${route.method} ${route.path}`,
        action,
        allowed: allowsAction(scope, action),
      };
    }),
    limits: {
      requestsPerMinute: apiKey.isInstallationKey ? null : apiKey.rateLimitPerMinute,
      ...LIMITS,
    },
  };
}
