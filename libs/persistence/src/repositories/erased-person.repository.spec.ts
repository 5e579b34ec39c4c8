import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';
import { TestTenant } from '../testing/test-tenant.js';
import { countOfPerson, erasePerson } from './erased-person.repository.js';

describeOnPostgres('the erasure of a person', (postgres) => {
  it("takes the person's keys, and never the installation's first one", async () => {
    const tenant = await TestTenant.create(postgres.database);
    const own = await tenant.addKey({ name: 'Their key' });
    const first = await tenant.addKey({ name: 'First key', isInstallationKey: true });
    const person = { apiKeyIds: [own.id, first.id], authorNames: [randomUUID()] };
    expect(await postgres.database.read((manager) => countOfPerson(manager, tenant.id, person))).toEqual({
      api_keys: 1,
    });
    const counts = await postgres.database.transaction((transaction) => erasePerson(transaction, tenant.id, person));
    expect(counts).toEqual({ api_keys: 1 });
    const keys = await postgres.query(
      `SELECT k.name, k.revoked_at IS NOT NULL AS revoked, count(s.api_key_id)::integer AS secrets
       FROM api_keys k LEFT JOIN api_key_secrets s ON s.api_key_id = k.id
       WHERE k.tenant_id = $1 GROUP BY k.id ORDER BY k.name`,
      [tenant.id],
    );
    expect(keys).toEqual([
      { name: 'Erased', revoked: true, secrets: 0 },
      { name: 'First key', revoked: false, secrets: 1 },
    ]);
  });
});
