import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
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
  const logged: string[] = [];

  beforeAll(async () => {
    const log = (message: string): void => void logged.push(message);
    Logger.overrideLogger({ log, warn: log, error: log });
    postgres = await createTestDatabase(server ?? '');
    service = new SealAuditService(postgres.database, new AuditSigner(new Map([['key-1', randomBytes(32)]])));
  });
  afterAll(async () => {
    Logger.overrideLogger(false);
    await postgres.drop();
  });

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
  /** Sealing waits for the transactions of other tests on the same server: rounds until it is so. */
  const sealUntil = (what: string, isSo: () => Promise<boolean>): Promise<unknown> =>
    waitFor(
      async () => {
        await service.sealAll();
        return isSo();
      },
      { what, timeoutMs: 20_000 },
    );
  const sealUntilEvents = (tenantId: string, events: number): Promise<unknown> =>
    sealUntil(`${events} sealed events`, async () => (await chainOf(tenantId)).sealedEvents === events);
  const sealUntilBroken = (tenantId: string): Promise<unknown> =>
    sealUntil('a broken chain', async () => (await chainOf(tenantId)).brokenSince !== null);
  const metrics = async (): Promise<Record<string, number>> => {
    const text = await processMetrics().metrics();
    const samples = [...text.matchAll(/^(candor_audit_\S+) (\S+)$/gm)];
    return Object.fromEntries(samples.map(([, name = '', value]): [string, number] => [name, Number(value)]));
  };

  it('go on for everybody but the tenant whose chain is broken, which is told, tried again, and caught up with', async () => {
    const [whole, broken] = [randomUUID(), randomUUID()];
    await write(whole, broken);
    await sealUntilEvents(whole, 1);
    await sealUntilEvents(broken, 1);
    const [{ head_digest: head } = { head_digest: '' }] = await query<{ head_digest: string }>(
      'SELECT head_digest FROM audit_chains WHERE tenant_id = $1',
      [broken],
    );
    await query(`UPDATE audit_chains SET head_digest = repeat('f', 64) WHERE tenant_id = $1`, [broken]);
    await write(whole, broken);
    const before = await horizon();
    await sealUntilBroken(broken);
    await sealUntilEvents(whole, 2);
    await sealUntil('a horizon that moves on', async () => (await horizon()) > before);
    await write(whole, broken);
    await sealUntilEvents(whole, 3);
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
    await sealUntilEvents(broken, 3);
    await sealUntil('a whole chain', async () => (await chainOf(broken)).brokenSince === null);
    expect(await chainOf(broken)).toMatchObject({ unsealedEvents: 0 });
    expect(await service.backlog()).toEqual({ oldestUnsealedSeconds: 0, continuedChains: 2, brokenChains: 0 });
  });

  it('note each chain whose record is gone altogether, in every round, with its tenant', async () => {
    const tenants = [randomUUID(), randomUUID()];
    await write(...tenants);
    for (const tenantId of tenants) await sealUntilEvents(tenantId, 1);
    await query('DELETE FROM audit_chains WHERE tenant_id = ANY($1)', [tenants]);
    await write(...tenants);
    for (const tenantId of tenants) await sealUntilBroken(tenantId);
    logged.length = 0;
    await service.sealAll();
    for (const tenantId of tenants) {
      expect(logged.filter((line) => line.startsWith(`AUDIT.CHAIN_BROKEN of tenant ${tenantId}: `))).toHaveLength(1);
      expect(await chainOf(tenantId)).toMatchObject({ unsealedEvents: 1, brokenSince: expect.any(String) });
    }
  });

  it('hold a chain for broken until its end is right, also when nothing is left to seal', async () => {
    const tenantId = randomUUID();
    await write(tenantId);
    await sealUntilEvents(tenantId, 1);
    await query(`UPDATE audit_chains SET batches = 9, broken_since = now() WHERE tenant_id = $1`, [tenantId]);
    await service.sealAll();
    expect((await chainOf(tenantId)).brokenSince).not.toBeNull();
    await query(`UPDATE audit_chains SET batches = 1 WHERE tenant_id = $1`, [tenantId]);
    await service.sealAll();
    expect((await chainOf(tenantId)).brokenSince).toBeNull();
  });

  it('show how long the oldest event waits, and how many chains are broken, asked once a scrape', async () => {
    const backlog = jest.fn(() => service.backlog());
    sampleAuditSealing({ backlog });
    const [waiting, broken] = [randomUUID(), randomUUID()];
    await write(waiting);
    // Of another time: nothing waits for a minute in a test.
    await query('ALTER TABLE audit_events DISABLE TRIGGER USER');
    await query(`UPDATE audit_events SET created_at = now() - interval '1 hour' WHERE tenant_id = $1`, [waiting]);
    await query('ALTER TABLE audit_events ENABLE TRIGGER USER');
    await query('UPDATE audit_chains SET broken_since = NULL');
    await query('INSERT INTO audit_chains (tenant_id, broken_since) VALUES ($1, now())', [broken]);
    const [{ chains: all } = { chains: 0 }] = await query<{ chains: number }>(
      'SELECT count(*)::integer AS chains FROM audit_chains',
    );
    const { 'candor_audit_oldest_unsealed_seconds{chains="continued"}': seconds, ...chains } = await metrics();
    expect(seconds).toBeGreaterThanOrEqual(3_600);
    expect(seconds).toBeLessThan(3_900);
    expect(chains).toEqual({
      'candor_audit_chains{state="continued"}': all - 1,
      'candor_audit_chains{state="broken"}': 1,
    });
    expect(backlog).toHaveBeenCalledTimes(1);
  });
});
