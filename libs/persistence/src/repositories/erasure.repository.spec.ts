import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { isUniqueViolation } from '../is-unique-violation.js';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';
import { TestTenant } from '../testing/test-tenant.js';
import { blankTenant, closeTenant, insertErasure, ONE_ERASURE_OF_A_TENANT } from './erasure.repository.js';
import { listRetentionRules } from './retention.repository.js';
import { updateTenant } from './tenant.repository.js';

describeOnPostgres('erasures', (postgres) => {
  it('are at most one of a tenant, and the second is told apart from other failures', async () => {
    const { id: tenantId } = await TestTenant.create(postgres.database);
    const begin = (): Promise<unknown> =>
      postgres.database.transaction((transaction) =>
        insertErasure(transaction, {
          id: randomUUID(),
          tenantId,
          kind: 'tenant',
          subject: null,
          step: 'queue',
          requestId: randomUUID(),
          requestedBy: null,
          requestedIn: tenantId,
        }),
      );
    await begin();
    const refusal: unknown = await begin().catch((error: unknown) => error);
    expect(isUniqueViolation(refusal, ONE_ERASURE_OF_A_TENANT)).toBe(true);
  });

  it('leave the retention of the audit events, which stay, and of nothing else', async () => {
    const tenant = await TestTenant.create(postgres.database);
    const rule = async (): Promise<unknown> =>
      (await postgres.database.read((manager) => listRetentionRules(manager))).find(
        ({ tenantId }) => tenantId === tenant.id,
      );
    await postgres.database.transaction((transaction) =>
      updateTenant(transaction, tenant.id, { retention: { feedback: 10, auditEvents: 400 } }),
    );
    expect(await rule()).toMatchObject({ retention: { feedback: 10, auditEvents: 400 } });
    await postgres.database.transaction((transaction) => closeTenant(transaction, tenant.id));
    const kept = { tenantId: tenant.id, retention: { auditEvents: 400 } };
    expect(await rule()).toEqual(kept);
    await postgres.database.transaction((transaction) => blankTenant(transaction, tenant.id));
    expect(await rule()).toEqual(kept);
  });
});
