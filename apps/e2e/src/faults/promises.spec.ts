import { it } from '@jest/globals';
import { describePromise } from '../harness/fault-ledger.js';
import { findServices, startDistributed } from '../harness/start-distributed.js';
import { describeProfile } from '../harness/world.js';
import { describeApiKeys } from '../suites/access/api-keys.suite.js';
import { describeForeignIds } from '../suites/access/foreign-ids.suite.js';
import { describePrincipals } from '../suites/access/principals.suite.js';
import { describeTenantIsolation } from '../suites/access/tenant-isolation.suite.js';
import { describeAuditTampering } from '../suites/faults/audit-tampering.suite.js';
import { describeDeletes } from '../suites/ingest/deletes.suite.js';
import { describeDocuments } from '../suites/ingest/documents.suite.js';
import { describeGenerations } from '../suites/ingest/generations.suite.js';
import { describeVersions } from '../suites/ingest/versions.suite.js';
import { describeFuzzedBodies } from '../suites/input/fuzzed-bodies.suite.js';
import { describeHostileInput } from '../suites/input/hostile-input.suite.js';
import { describeSecrets } from '../suites/operation/secrets.suite.js';
import { describeReasonDemo } from '../suites/reason/reason-demo.suite.js';

const services = findServices(process.env);

if (services === 'incomplete') it.skip('what is promised while nothing fails', () => undefined);
else
  describeProfile(
    'what is promised while nothing fails',
    // Sources on loopback stand for the providers.
    () => startDistributed(services, 12, { env: { CANDOR_ALLOW_PRIVATE_CONNECTORS: 'true' } }),
    (world) => {
      describePromise('Hostile documents', () => describeReasonDemo(world));
      describePromise('Tenant isolation', () => {
        describeTenantIsolation(world);
        describeForeignIds(world);
      });
      describePromise('Access control', () => {
        describeApiKeys(world);
        describePrincipals(world);
        describeVersions(world);
      });
      describePromise('Deleted means gone', () => describeDeletes(world));
      describePromise('Hostile files', () => describeDocuments(world));
      describePromise('Hostile input', () => {
        describeHostileInput(world);
        describeFuzzedBodies(world);
      });
      describePromise('Secrets', () => describeSecrets(world));
      describePromise('Audit', () => describeAuditTampering(world));
      describePromise('Upgrade', () => describeGenerations(world));
    },
  );
