import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AuditEventInput } from '@candor/contracts';
import { createTestDatabase, TestTenant, testServerUrl, type TestDatabase } from '@candor/persistence/testing';
import { AuditCommits } from './audit-commits.js';

interface Stored {
  tenant_id: string;
  request_id: string;
  /** Of the transaction that wrote it. */
  xmin: string;
}

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;

withPostgres('events of requests that changed nothing', () => {
  let test: TestDatabase;
  let commits: AuditCommits;
  let tenants: TestTenant[];

  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
    commits = new AuditCommits(test.database);
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    tenants = [await TestTenant.create(test.database), await TestTenant.create(test.database)];
  });

  const eventOf = (tenantId: string): AuditEventInput => ({
    tenantId,
    requestId: randomUUID(),
    action: 'search.query',
    outcome: 'succeeded',
    actorApiKeyId: null,
    actorType: 'agent',
    targetType: null,
    targetId: null,
    metadata: {},
  });
  const storedOf = (events: readonly AuditEventInput[]): Promise<Stored[]> =>
    test.database.read((manager) =>
      manager.query(`SELECT tenant_id, request_id, xmin::text FROM audit_events WHERE request_id = ANY($1)`, [
        events.map(({ requestId }) => requestId),
      ]),
    );

  it('are there when their request may be answered', async () => {
    const event = eventOf(tenants[0]?.id ?? '');
    await commits.commit(event);
    expect(await storedOf([event])).toEqual([expect.objectContaining({ tenant_id: event.tenantId })]);
  });

  it('share commits while one is under way, each with its own tenant', async () => {
    const events = Array.from({ length: 20 }, (_, index) => eventOf(tenants[index % 2]?.id ?? ''));
    await Promise.all(events.map((event) => commits.commit(event)));
    const stored = await storedOf(events);
    const tenantOf = new Map(stored.map((row) => [row.request_id, row.tenant_id]));
    for (const event of events) expect(tenantOf.get(event.requestId)).toBe(event.tenantId);
    expect(new Set(stored.map(({ xmin }) => xmin)).size).toBe(1);
  });

  it('fail alone', async () => {
    const good = [eventOf(tenants[0]?.id ?? ''), eventOf(tenants[1]?.id ?? '')];
    const bad = { ...eventOf(tenants[0]?.id ?? ''), requestId: 'no UUID' };
    const outcomes = await Promise.allSettled([...good, bad].map((event) => commits.commit(event)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(await storedOf(good)).toHaveLength(2);
  });
});
