import { describe, expect, it } from '@jest/globals';
import {
  findItemsQuerySchema,
  findItemsRoute,
  ingestBodySchema,
  listDocumentsRoute,
  passageSearchBodySchema,
  searchBodySchema,
  searchRoute,
  type Capabilities,
} from '@candor/contracts';
import type { Caller } from '../../access/caller.js';
import { describeCapabilities, type OfferedTool } from './describe-capabilities.js';

const TOOLS: OfferedTool[] = [
  { name: 'search', description: 'Finds hits.', route: searchRoute },
  { name: 'list_documents', description: 'Lists.', route: listDocumentsRoute },
  { name: 'find_items', description: 'Finds items.', route: findItemsRoute },
];
function callerWith(apiKey: Partial<Caller['apiKey']>, allowedActions: Caller['scope']['allowedActions']) {
  return { apiKey, scope: { allowedActions } } as Caller;
}
const describeFor = (apiKey: Partial<Caller['apiKey']>): Capabilities =>
  describeCapabilities(TOOLS, callerWith({ rateLimitPerMinute: 60, isInstallationKey: false, ...apiKey }, ['search']));

describe('the capabilities', () => {
  it('name each tool, its route, and whether the key may use it', () => {
    expect(describeFor({}).tools).toEqual([
      { name: 'search', description: 'Finds hits.', endpoint: 'POST /v1/search', action: 'search', allowed: true },
      {
        name: 'list_documents',
        description: 'Lists.',
        endpoint: 'GET /v1/documents',
        action: 'documents:read',
        allowed: false,
      },
      {
        name: 'find_items',
        description: 'Finds items.',
        endpoint: 'GET /v1/search',
        action: 'search',
        allowed: true,
      },
    ]);
  });

  it('have the limit of the key, and none for the first one', () => {
    expect(describeFor({ rateLimitPerMinute: 7 }).limits.requestsPerMinute).toBe(7);
    expect(describeFor({ rateLimitPerMinute: null }).limits.requestsPerMinute).toBeNull();
    expect(describeFor({ isInstallationKey: true }).limits.requestsPerMinute).toBeNull();
  });

  it('state the limits that the contracts have', () => {
    const { limits } = describeFor({});
    const accepts: [number, (value: number) => boolean][] = [
      [limits.queryCharacters, (length) => searchBodySchema.safeParse({ query: 'q'.repeat(length) }).success],
      [limits.searchHits, (limit) => searchBodySchema.safeParse({ query: 'q', limit }).success],
      [limits.passages, (limit) => passageSearchBodySchema.safeParse({ query: 'q', limit }).success],
      [limits.foundItems, (limit) => findItemsQuerySchema.safeParse({ q: 'q', limit }).success],
      [limits.listPage, (limit) => listDocumentsRoute.query?.safeParse({ limit }).success === true],
      [
        limits.ingestDocuments,
        (count) =>
          ingestBodySchema.safeParse({
            documents: Array.from({ length: count }, (_, index) => ({
              provider: 'upload',
              sourceKind: 'document',
              externalId: `${index}`,
              title: 't',
              body: 'b',
            })),
          }).success,
      ],
    ];
    expect(accepts.map(([limit, accept]) => [accept(limit), accept(limit + 1)])).toEqual(
      accepts.map(() => [true, false]),
    );
    expect(limits).toMatchObject({ bodyBytes: 2 ** 20, ingestBodyBytes: 20 * 2 ** 20, uploadBytes: 100 * 2 ** 20 });
  });
});
