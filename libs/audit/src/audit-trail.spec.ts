import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import { auditEventSchema, type AuditEventInput } from '@candor/contracts';
import { createTestDatabase, testServerUrl, type TestDatabase } from '@candor/testkit';
import { describeQuery, readAuditEvents, writeAuditEvents } from './audit-trail.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;

describe('describeQuery', () => {
  it('keeps the text, or only its digest where the tenant wants no text kept', () => {
    expect(describeQuery('who decided?', true)).toEqual({ query: 'who decided?' });
    expect(describeQuery('abc', false)).toEqual({
      querySha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    });
    expect(JSON.stringify(describeQuery('who decided?', false))).not.toContain('decided');
  });
});

withPostgres('the audit trail', () => {
  let test: TestDatabase;
  const tenantId = randomUuid();

  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
  });
  afterAll(() => test.drop());

  const eventOf = (fields: Partial<AuditEventInput> = {}): AuditEventInput => ({
    tenantId,
    requestId: randomUuid(),
    action: 'context.retrieve',
    outcome: 'succeeded',
    actorApiKeyId: randomUuid(),
    actorType: 'application',
    targetType: null,
    targetId: null,
    metadata: { query: 'who?', counts: { slack: 2 } },
    ...fields,
  });
  const read = (tenant: string): ReturnType<typeof readAuditEvents> =>
    test.database.read((manager) => readAuditEvents(manager, tenant, { limit: 2 }));

  it('gives back what was written, in the shape of the API and without the tenant or the order number', async () => {
    const event = eventOf();
    await test.database.transaction((transaction) => writeAuditEvents(transaction, [event]));
    const page = await read(tenantId);
    expect(page).toMatchObject({ hasMore: false, cursor: null });
    const [row] = page.rows;
    expect(auditEventSchema.parse(row)).toEqual(row);
    const { tenantId: _tenantId, ...shown } = event;
    expect(row).toEqual({
      ...shown,
      id: expect.any(String),
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      erased: false,
      seal: { state: 'unsealed', batch: null, position: null, sealedAt: null, keyId: null },
    });
    expect((await read(randomUuid())).rows).toEqual([]);
  });

  it('has no event of a change that was rolled back', async () => {
    const tenant = randomUuid();
    const failed = test.database.transaction(async (transaction) => {
      await writeAuditEvents(transaction, [eventOf({ tenantId: tenant })]);
      throw new Error('no commit');
    });
    await expect(failed).rejects.toThrow('no commit');
    expect((await read(tenant)).rows).toEqual([]);
  });

  it('goes on where a page ended', async () => {
    const tenant = randomUuid();
    const events = [1, 2, 3].map((number) => eventOf({ tenantId: tenant, metadata: { number } }));
    await test.database.transaction((transaction) => writeAuditEvents(transaction, events));
    const first = await read(tenant);
    expect(first).toMatchObject({ hasMore: true, cursor: expect.any(String) });
    const second = await test.database.read((manager) =>
      readAuditEvents(manager, tenant, { limit: 2, cursor: first.cursor ?? '' }),
    );
    expect([...first.rows, ...second.rows].map((row) => row.metadata['number'])).toEqual([3, 2, 1]);
    expect(second).toMatchObject({ hasMore: false, cursor: null });
  });
});
