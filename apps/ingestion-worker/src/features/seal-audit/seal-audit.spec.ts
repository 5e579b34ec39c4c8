import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AuditSigner, readChain, verifyChain, writeAuditEvents } from '@candor/audit';
import type { AuditChain } from '@candor/contracts';
import { processMetrics } from '@candor/runtime/metrics';
import { createTestDatabase, testServerUrl, waitFor, type TestDatabase } from '@candor/testkit';
import { sampleAuditSealing } from './sample-audit-sealing.js';
import { SealAuditService } from './seal-audit.service.js';

/** Sealing waits for every transaction on the server. */
jest.setTimeout(60_000);
const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;

withPostgres('sealing rounds', () => {
  let postgres: TestDatabase;
  let service: SealAuditService;
  const [whole, broken] = [randomUUID(), randomUUID()];

  beforeAll(async () => {
    postgres = await createTestDatabase(server ?? '');
    service = new SealAuditService(postgres.database, new AuditSigner(new Map([['key-1', randomBytes(32)]])));
  });
  afterAll(() => postgres.drop());

  const write = (...tenantIds: string[]): Promise<void> =>
    postgres.database.transaction((transaction) =>
      writeAuditEvents(
        transaction,
        tenantIds.map((tenantId) => ({
          tenantId,
          requestId: randomUUID(),
          action: 'search.query',
          outcome: 'succeeded',
          actorApiKeyId: null,
          actorType: 'agent',
          targetType: null,
          targetId: null,
          metadata: {},
        })),
      ),
    );
  const chainOf = (tenantId: string): Promise<AuditChain> =>
    postgres.database.read((manager) => readChain(manager, tenantId));
  const query = async <Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> => {
    const rows: Row[] = await postgres.database.read((manager) => manager.query(sql, parameters));
    return rows;
  };
  const horizon = async (): Promise<bigint> =>
    BigInt((await query<{ horizon: string }>('SELECT horizon::text FROM audit_sealing'))[0]?.horizon ?? 0);
  /** Rounds until that many events of the tenant are sealed; what the last of them threw. */
  const sealUntil = async (tenantId: string, events: number): Promise<unknown> => {
    let thrown: unknown;
    await waitFor(
      async () => {
        thrown = await service.sealAll().then(
          () => null,
          (error: unknown) => error,
        );
        return (await chainOf(tenantId)).sealedEvents === events;
      },
      { what: `${events} sealed events`, timeoutMs: 20_000 },
    );
    return thrown;
  };
  const metrics = async (): Promise<Record<string, number>> => {
    const text = await processMetrics().metrics();
    const samples = [...text.matchAll(/^(candor_audit_\S+) (\S+)$/gm)];
    return Object.fromEntries(samples.map(([, name = '', value]): [string, number] => [name, Number(value)]));
  };

  it('go on for everybody but the tenant whose chain is broken, which is told, tried again, and caught up with', async () => {
    await write(whole, broken);
    expect(await sealUntil(whole, 1)).toBeNull();
    await waitFor(async () => (await chainOf(broken)).sealedEvents === 1, { what: 'the other chain' });
    const [{ head_digest: head } = { head_digest: '' }] = await query<{ head_digest: string }>(
      'SELECT head_digest FROM audit_chains WHERE tenant_id = $1',
      [broken],
    );
    await query(`UPDATE audit_chains SET head_digest = repeat('f', 64) WHERE tenant_id = $1`, [broken]);
    await write(whole, broken);
    const before = await horizon();
    expect(await sealUntil(whole, 2)).toMatchObject({ code: 'AUDIT.CHAIN_BROKEN' });
    await waitFor(
      async () => {
        await service.sealAll().catch(() => undefined);
        return (await horizon()) > before;
      },
      { what: 'a horizon that moves on' },
    );
    await write(whole, broken);
    await sealUntil(whole, 3);
    expect(await service.backlog()).toEqual({ oldestUnsealedSeconds: 0, continuedChains: 1, brokenChains: 1 });
    expect(await chainOf(broken)).toMatchObject({
      sealedEvents: 1,
      unsealedEvents: 2,
      brokenSince: expect.any(String),
    });
    expect((await chainOf(whole)).brokenSince).toBeNull();
    // They wait, and nobody put them there.
    const verification = await postgres.database.snapshot((manager) =>
      verifyChain(manager, broken, { fromBatch: 1, mostBatches: 10 }),
    );
    expect(verification.findings.map(({ type }) => type)).toEqual(['head_differs']);

    await query('UPDATE audit_chains SET head_digest = $2 WHERE tenant_id = $1', [broken, head]);
    expect(await sealUntil(broken, 3)).toBeNull();
    expect(await chainOf(broken)).toMatchObject({ unsealedEvents: 0, brokenSince: null });
    expect(await service.backlog()).toEqual({ oldestUnsealedSeconds: 0, continuedChains: 2, brokenChains: 0 });
  });

  it('notes a chain whose record is gone altogether', async () => {
    const tenantId = randomUUID();
    await write(tenantId);
    await sealUntil(tenantId, 1);
    await query('DELETE FROM audit_chains WHERE tenant_id = $1', [tenantId]);
    await write(tenantId);
    await waitFor(
      async () => {
        await service.sealAll().catch(() => undefined);
        return (await service.backlog()).brokenChains === 1;
      },
      { what: 'the broken chain', timeoutMs: 20_000 },
    );
    expect(await chainOf(tenantId)).toMatchObject({ unsealedEvents: 1, brokenSince: expect.any(String) });
    await query('UPDATE audit_chains SET broken_since = NULL');
  });

  it('show how long the oldest event waits, and how many chains are broken', async () => {
    sampleAuditSealing(service);
    const tenantId = randomUUID();
    await write(tenantId);
    // Of another time: nothing waits for a minute in a test.
    await query('ALTER TABLE audit_events DISABLE TRIGGER USER');
    await query(`UPDATE audit_events SET created_at = now() - interval '1 hour' WHERE tenant_id = $1`, [tenantId]);
    await query('ALTER TABLE audit_events ENABLE TRIGGER USER');
    const { 'candor_audit_oldest_unsealed_seconds{chains="continued"}': seconds, ...chains } = await metrics();
    expect(seconds).toBeGreaterThanOrEqual(3_600);
    expect(seconds).toBeLessThan(3_900);
    expect(chains).toEqual({ 'candor_audit_chains{state="continued"}': 3, 'candor_audit_chains{state="broken"}': 0 });
  });
});
