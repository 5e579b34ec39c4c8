import { describeApiKeys } from './suites/access/api-keys.suite.js';
import { describeBoundaries } from './suites/access/boundaries.suite.js';
import { describePrincipals } from './suites/access/principals.suite.js';
import { describeRateLimits } from './suites/access/rate-limits.suite.js';
import { describeTenantIsolation } from './suites/access/tenant-isolation.suite.js';
import { describeDeadLetters } from './suites/ingest/dead-letters.suite.js';
import { describeDeletes } from './suites/ingest/deletes.suite.js';
import { describeIdempotency } from './suites/ingest/idempotency.suite.js';
import { describeIngest } from './suites/ingest/ingest.suite.js';
import { describeSources } from './suites/ingest/sources.suite.js';
import { describeVersions } from './suites/ingest/versions.suite.js';
import { describeBadInput } from './suites/input/bad-input.suite.js';
import { describeHostileInput } from './suites/input/hostile-input.suite.js';
import { describeAuditEvents } from './suites/operation/audit-events.suite.js';
import { describeCollections } from './suites/operation/collections.suite.js';
import { describeOperations } from './suites/operation/operations.suite.js';
import { describeReasonDemo } from './suites/reason/reason-demo.suite.js';
import { describeReasonScope } from './suites/reason/reason-scope.suite.js';
import { describeContextContract } from './suites/retrieval/context-contract.suite.js';
import { describeDemo } from './suites/retrieval/demo.suite.js';
import { describeNavigation } from './suites/retrieval/navigation.suite.js';
import { describeSearch } from './suites/retrieval/search.suite.js';
import type { WorldOf } from './harness/world.js';

/** What both profiles have to pass, in this order. */
export function describeSuites(world: WorldOf): void {
  describeOperations(world);
  describeDemo(world);
  describeContextContract(world);
  describeSearch(world);
  describeNavigation(world);
  describeReasonDemo(world);
  describeReasonScope(world);
  describeIngest(world);
  describeVersions(world);
  describeIdempotency(world);
  describeDeletes(world);
  describeDeadLetters(world);
  describeSources(world);
  describeApiKeys(world);
  describeRateLimits(world);
  describePrincipals(world);
  describeTenantIsolation(world);
  describeBoundaries(world);
  describeCollections(world);
  describeAuditEvents(world);
  describeBadInput(world);
  describeHostileInput(world);
}
