import { beforeEach, expect, it } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import type { AuditEventInput } from '@candor/contracts';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';
import { TestTenant } from '../testing.js';
import { insertAuditEvents } from './audit-event.repository.js';
import { findAskedRequest, listLabelledQueries, saveFeedback, type NewFeedback } from './feedback.repository.js';

describeOnPostgres('feedback', (postgres) => {
  let tenant: TestTenant;
  beforeEach(async () => {
    tenant = await TestTenant.create(postgres.database);
  });

  async function ask(query: string | null, fields: Partial<AuditEventInput> = {}): Promise<string> {
    const requestId = randomUuid();
    const event: AuditEventInput = {
      tenantId: tenant.id,
      requestId,
      action: 'reason.answer',
      outcome: 'succeeded',
      actorApiKeyId: randomUuid(),
      actorType: 'agent',
      targetType: null,
      targetId: null,
      metadata: query === null ? { querySha256: 'x' } : { query },
      ...fields,
    };
    await postgres.database.transaction((transaction) =>
      insertAuditEvents(transaction, [{ ...event, action: 'reason.requested' }, event]),
    );
    return requestId;
  }
  const save = (requestId: string, fields: Partial<NewFeedback> = {}) =>
    postgres.database.transaction((transaction) =>
      saveFeedback(transaction, {
        tenantId: tenant.id,
        requestId,
        apiKeyId: randomUuid(),
        rating: 'positive',
        note: null,
        answerable: true,
        ...fields,
      }),
    );
  const labelled = () => postgres.database.read((manager) => listLabelledQueries(manager, tenant.id, 100));

  it("is about the tenant's own questions", async () => {
    const requestId = await ask('How?');
    const find = (id: string, tenantId = tenant.id) =>
      postgres.database.read((manager) => findAskedRequest(manager, tenantId, id));
    expect(await find(requestId)).toMatchObject({ action: 'reason.answer', outcome: 'succeeded' });
    expect(await find(requestId, (await TestTenant.create(postgres.database)).id)).toBeNull();
    expect(await find(randomUuid())).toBeNull();
    expect(await find(await ask('Who?', { action: 'item.read' }))).toBeNull();
  });

  it('is one word a key, the last one', async () => {
    const requestId = await ask('How?');
    const apiKeyId = randomUuid();
    const first = await save(requestId, { apiKeyId });
    const second = await save(requestId, { apiKeyId, rating: 'negative', note: 'No.', answerable: false });
    expect(second.id).toBe(first.id);
    expect(await labelled()).toEqual([{ query: 'How?', answerable: false }]);
  });

  it('labels questions whose text was kept, unless callers disagree', async () => {
    await save(await ask('Yes?'));
    await save(await ask('  Yes? '));
    await save(await ask('No?'), { answerable: false });
    await save(await ask('Perhaps?'), { answerable: null });
    await save(await ask(null));
    await save(await ask('Disputed?'));
    await save(await ask('Disputed?'), { answerable: false });
    expect((await labelled()).sort((left, right) => (left.query < right.query ? -1 : 1))).toEqual([
      { query: 'No?', answerable: false },
      { query: 'Yes?', answerable: true },
    ]);
  });
});
