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
  const labelled = () =>
    postgres.database.read((manager) => listLabelledQueries(manager, tenant.id, { limit: 100, growthBound: 0.2 }));

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

  it('knows whether the key that asked saw a part only', async () => {
    const find = async (fields: Partial<AuditEventInput>) =>
      (await postgres.database.read(async (manager) => findAskedRequest(manager, tenant.id, await ask('How?', fields))))
        ?.isRestricted;
    expect(await find({ metadata: { query: 'How?', callerIsRestricted: false } })).toBe(false);
    expect(await find({ metadata: { query: 'How?', callerIsRestricted: true } })).toBe(true);
    // Older events don't say so.
    expect(await find({ actorApiKeyId: (await tenant.addKey()).id })).toBe(false);
    expect(await find({ actorApiKeyId: (await tenant.addKey({ principals: ['user:a@x.org'] })).id })).toBe(true);
    expect(await find({})).toBe(true);
  });

  it('holds until the corpus is another one', async () => {
    const resize = (items: number) =>
      postgres.query('UPDATE generations SET item_count = $2 WHERE id = $1', [tenant.generationId, items]);
    await resize(100);
    await save(await ask('Yes?'));
    await save(await ask('No?'), { answerable: false });
    const held = async (items: number) => {
      await resize(items);
      return (await labelled()).map(({ query }) => query).sort();
    };
    expect(await held(120)).toEqual(['No?', 'Yes?']);
    expect(await held(121)).toEqual(['Yes?']);
    expect(await held(80)).toEqual(['No?', 'Yes?']);
    expect(await held(79)).toEqual(['No?']);
    await postgres.query('UPDATE feedback SET corpus_size = NULL WHERE tenant_id = $1', [tenant.id]);
    expect(await held(100)).toEqual([]);
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
