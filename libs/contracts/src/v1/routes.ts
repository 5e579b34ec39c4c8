import type { RouteContract } from './define-route.js';
import * as apiKeys from './api-keys.route.js';
import * as auditEvents from './audit-events.route.js';
import * as calibrations from './calibrations.route.js';
import * as citationsVerify from './citations-verify.route.js';
import * as capabilities from './capabilities.route.js';
import * as collections from './collections.route.js';
import * as context from './context.route.js';
import * as documents from './documents.route.js';
import * as erasures from './erasures.route.js';
import * as feedback from './feedback.route.js';
import * as findItems from './find-items.route.js';
import * as generations from './generations.route.js';
import * as ingest from './ingest.route.js';
import * as navigation from './navigation.route.js';
import * as prompts from './prompts.route.js';
import * as proposals from './proposals.route.js';
import * as quotas from './quotas.route.js';
import * as reason from './reason.route.js';
import * as reasoning from './reasoning.route.js';
import * as search from './search.route.js';
import * as sourceItems from './source-items.route.js';
import * as sources from './sources.route.js';
import * as syncRuns from './sync-runs.route.js';
import * as tenants from './tenants.route.js';

const modules = [
  search,
  context,
  reason,
  reasoning,
  citationsVerify,
  calibrations,
  proposals,
  feedback,
  navigation,
  generations,
  ingest,
  sourceItems,
  collections,
  documents,
  prompts,
  findItems,
  capabilities,
  apiKeys,
  quotas,
  auditEvents,
  sources,
  syncRuns,
  tenants,
  erasures,
];

function isRoute(value: unknown): value is RouteContract {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'response' in value;
}

/** Every public route, for the OpenAPI document and the startup proof that each has one handler. */
export const ROUTES: readonly RouteContract[] = modules.flatMap((module) => Object.values(module).filter(isRoute));
