import { beforeEach, describe, expect, it } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import type { AuditEventInput, AuditEventsQuery } from '@candor/contracts';
import { Database } from '../database.js';
import type { AuditEventEntity } from '../entities/audit-event.entity.js';
import type { Page } from '../page-cursor.js';
import { closeAbandonedRequests, insertAuditEvents, listAuditEvents } from './audit-event.repository.js';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';

describeOnPostgres('audit events', (postgres) => {
  let tenantId: string;

  beforeEach(() => {
    tenantId = randomUuid();
  });

  const { query } = postgres;

  const eventOf = (fields: Partial<AuditEventInput> = {}): AuditEventInput => ({
    tenantId,
    requestId: randomUuid(),
    action: 'search.query',
    outcome: 'succeeded',
    actorApiKeyId: randomUuid(),
    actorType: 'agent',
    targetType: null,
    targetId: null,
    metadata: {},
    ...fields,
  });
  const write = (...events: AuditEventInput[]): Promise<void> =>
    postgres.database.read((manager) => insertAuditEvents(manager, events));
  const list = (filter: Partial<AuditEventsQuery> = {}, tenant = tenantId): Promise<Page<AuditEventEntity>> =>
    postgres.database.read((manager) => listAuditEvents(manager, tenant, { limit: 20, ...filter }));

  it('keep what they were given, in order, and say when', async () => {
    const event = eventOf({
      targetType: 'source_item',
      targetId: 'x',
      metadata: { query: 'who?', counts: { hits: 2 }, list: [1, null] },
    });
    await write(event, eventOf({ action: 'item.read', actorApiKeyId: null }));
    const { rows } = await list();
    expect(rows.map((row) => row.action)).toEqual(['item.read', 'search.query']);
    const { query: asked, ...metadata } = event.metadata;
    expect(rows[1]).toMatchObject({
      ...event,
      metadata,
      erasable: { query: asked },
      createdAt: expect.any(Date),
      id: expect.any(String),
    });
    expect(rows[0]).toMatchObject({ actorApiKeyId: null, targetType: null });
    await write();
    expect((await list()).rows).toHaveLength(2);
  });

  it('are written whatever a query was made of', async () => {
    await write(eventOf({ metadata: { query: 'a\0b \ud83d \ud83d\ude00 \\u0000', ['k\0']: 1 } }));
    const [row] = (await list()).rows;
    expect(row?.erasable).toEqual({ query: 'a\ufffdb \ufffd \ud83d\ude00 \\u0000' });
    expect(row?.metadata).toEqual({ ['k\ufffd']: 1 });
  });

  it.each([
    ['UPDATE', `UPDATE audit_events SET outcome = 'failed'`],
    ['DELETE', 'DELETE FROM audit_events'],
    ['TRUNCATE', 'TRUNCATE audit_events'],
  ])('refuse %s', async (_name, statement) => {
    await write(eventOf());
    await expect(query(statement)).rejects.toThrow('audit events cannot be changed');
    expect((await list()).rows).toHaveLength(1);
  });

  it('commit with the change they tell of, or not at all', async () => {
    await expect(
      postgres.database.transaction(async (transaction) => {
        await insertAuditEvents(transaction, [eventOf()]);
        throw new Error('the change failed');
      }),
    ).rejects.toThrow('the change failed');
    expect((await list()).rows).toEqual([]);
  });

  it('are paged newest first, each once, while new ones come in', async () => {
    const events = Array.from({ length: 7 }, (_value, index) => eventOf({ metadata: { index } }));
    await write(...events);
    const seen: unknown[] = [];
    let cursor: string | undefined;
    for (let hasMore = true; hasMore;) {
      const page = await list({ limit: 3, cursor });
      seen.push(...page.rows.map((row) => row.metadata['index']));
      hasMore = page.hasMore;
      cursor = page.cursor ?? undefined;
      await write(eventOf({ metadata: { index: 'new' } }));
    }
    expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0]);
    for (const forged of ['x', '-1', '1; DROP TABLE audit_events', '9'.repeat(19)])
      await expect(list({ cursor: forged })).rejects.toMatchObject({ code: 'REQUEST.INVALID' });
  });

  it('are filtered by request, action, time and, always, tenant', async () => {
    const event = eventOf({ action: 'context.retrieve' });
    await write(event, eventOf(), eventOf({ tenantId: randomUuid(), requestId: event.requestId }));
    const createdAt = (await list()).rows[0]?.createdAt.toISOString() ?? '';
    const later = new Date(Date.parse(createdAt) + 1).toISOString();
    expect((await list({ requestId: event.requestId })).rows).toHaveLength(1);
    expect((await list({ action: 'context.retrieve' })).rows).toHaveLength(1);
    expect((await list({ action: 'context.retrieve', requestId: randomUuid() })).rows).toEqual([]);
    expect((await list({ from: createdAt, to: later })).rows).toHaveLength(2);
    expect((await list({ from: later })).rows).toEqual([]);
    expect((await list({ to: createdAt })).rows).toEqual([]);
    expect((await list({}, randomUuid())).rows).toEqual([]);
  });

  describe('of requests that never ended', () => {
    /** The trigger refuses to make an event older, so it is made old. */
    const began = (requestId: string, age: string): Promise<unknown> =>
      query(
        `INSERT INTO audit_events (id, tenant_id, request_id, action, outcome, actor_type, metadata, created_at)
         VALUES ($1, $2, $3, 'reason.requested', 'accepted', 'agent', '{}', now() - $4::interval)`,
        [randomUuid(), tenantId, requestId, age],
      );
    const close = (database = postgres.database): Promise<number> =>
      database.transaction((transaction) => closeAbandonedRequests(transaction, 900));

    it('are closed once, and only when they are old enough', async () => {
      const [lost, answered, young] = [randomUuid(), randomUuid(), randomUuid()];
      await began(lost, '20 minutes');
      await began(answered, '20 minutes');
      await began(young, '10 minutes');
      await write(eventOf({ requestId: answered, action: 'reason.answer' }));
      expect(await close()).toBe(1);
      expect(await close()).toBe(0);
      const { rows } = await list({ action: 'reason.abandoned' });
      expect(rows).toEqual([
        expect.objectContaining({ requestId: lost, tenantId, outcome: 'failed', actorType: 'agent' }),
      ]);
    });

    it('are closed by one of the processes that sweep at once', async () => {
      const other = new Database({ url: postgres.url, applicationName: 'other' });
      try {
        for (let count = 0; count < 20; count += 1) await began(randomUuid(), '1 hour');
        await postgres.database.transaction(async (transaction) => {
          expect(await closeAbandonedRequests(transaction, 900)).toBe(20);
          expect(await close(other)).toBe(0);
        });
        expect(await close(other)).toBe(0);
      } finally {
        await other.close();
      }
      expect((await list({ action: 'reason.abandoned', limit: 100 })).rows).toHaveLength(20);
    });
  });
});
