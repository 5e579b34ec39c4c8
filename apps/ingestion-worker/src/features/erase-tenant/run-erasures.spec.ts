import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { writeAuditEvents } from '@candor/audit';
import { countAuditTexts, findErasure, insertErasure } from '@candor/persistence';
import type { JobProducer } from '@candor/queue';
import type { SearchIndexWriter } from '@candor/search-index/write';
import { createTestDatabase, TestTenant, testServerUrl, type TestDatabase } from '@candor/testkit';
import { RunErasuresService } from './run-erasures.service.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;
jest.setTimeout(60_000);

withPostgres('erasures', () => {
  let postgres: TestDatabase;
  let service: RunErasuresService;

  beforeAll(async () => {
    postgres = await createTestDatabase(server ?? '');
    // Queue and index have no part in the erasure of a person.
    service = new RunErasuresService(postgres.database, {} as JobProducer, {} as SearchIndexWriter);
  });
  afterAll(() => postgres.drop());

  it('goes round again for what was asked after the texts were taken, and certifies only then', async () => {
    const tenant = await TestTenant.create(postgres.database);
    const { id: apiKeyId } = await tenant.addKey();
    const person = { apiKeyIds: [apiKeyId], authorNames: [] };
    await postgres.database.transaction(async (transaction) => {
      await insertErasure(transaction, {
        id: randomUUID(),
        tenantId: tenant.id,
        kind: 'person',
        subject: person,
        step: 'rows',
        requestId: randomUUID(),
        requestedBy: null,
        requestedIn: tenant.id,
      });
      await writeAuditEvents(transaction, [
        {
          tenantId: tenant.id,
          requestId: randomUUID(),
          action: 'search.query',
          outcome: 'succeeded',
          actorApiKeyId: apiKeyId,
          actorType: 'agent',
          targetType: null,
          targetId: null,
          metadata: { query: 'what was asked meanwhile' },
        },
      ]);
      // As when the request commits while the erasure stands between its texts and its certificate.
      await transaction.query(`UPDATE erasures SET step = 'certificate' WHERE tenant_id = $1`, [tenant.id]);
      await transaction.query(`UPDATE api_keys SET name = 'Erased' WHERE id = $1`, [apiKeyId]);
    });
    const textsLeft = (): Promise<number> =>
      postgres.database.read((manager) =>
        countAuditTexts(manager, { tenantId: tenant.id, apiKeyIds: person.apiKeyIds }),
      );
    expect(await service.runAll()).toBe(0);
    expect(await textsLeft()).toBe(1);
    expect(await service.runAll()).toBe(1);
    expect(await textsLeft()).toBe(0);
    const [row] = await postgres.database.read<{ id: string }[]>((manager) =>
      manager.query('SELECT id FROM erasures WHERE tenant_id = $1', [tenant.id]),
    );
    const ended = await postgres.database.read((manager) => findErasure(manager, tenant.id, row?.id ?? ''));
    expect(ended).toMatchObject({ state: 'done', counts: { audit_texts: 1 } });
  });
});
