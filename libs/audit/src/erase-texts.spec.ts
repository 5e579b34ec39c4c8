import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { AuditFinding } from '@candor/contracts';
import { beginSealingRound, type AuditTexts } from '@candor/persistence';
import { createTestDatabase, testServerUrl, waitFor, type TestDatabase } from '@candor/testkit';
import { readAuditEvents, writeAuditEvents } from './audit-trail.js';
import { AuditSigner } from './chain/audit-keys.js';
import { verifyExport } from './chain/verify-export.js';
import { eraseTexts, type TextErasure } from './erase-texts.js';
import { exportChain } from './export-chain.js';
import { verifyChain } from './read-chain.js';
import { announceSigner, sealNextBatch } from './seal-audit.js';

const signer = new AuditSigner(new Map([['key-1', randomBytes(32)]]));

/** Sealing waits for every transaction on the server. */
jest.setTimeout(60_000);
const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;

withPostgres('texts of audit events', () => {
  let postgres: TestDatabase;

  beforeAll(async () => {
    postgres = await createTestDatabase(server ?? '');
  });
  afterAll(() => postgres.drop());

  /** Ids of the events, oldest first. */
  async function ask(tenantId: string, ...apiKeyIds: string[]): Promise<string[]> {
    await postgres.database.transaction((transaction) =>
      writeAuditEvents(
        transaction,
        apiKeyIds.map((actorApiKeyId) => ({
          tenantId,
          requestId: randomUUID(),
          action: 'search.query',
          outcome: 'succeeded',
          actorApiKeyId,
          actorType: 'agent',
          targetType: null,
          targetId: null,
          metadata: { query: 'who asks?' },
        })),
      ),
    );
    const { rows } = await postgres.database.read((manager) => readAuditEvents(manager, tenantId, { limit: 100 }));
    return rows
      .slice(0, apiKeyIds.length)
      .reverse()
      .map(({ id }) => id);
  }
  const sealAll = (tenantId: string): Promise<unknown> =>
    waitFor(
      async () => {
        await postgres.database.transaction((transaction) => announceSigner(transaction, signer));
        const { horizon } = await postgres.database.read((manager) => beginSealingRound(manager));
        await postgres.database.transaction((transaction) => sealNextBatch(transaction, tenantId, { signer, horizon }));
        return (await verify(tenantId)).unsealedEvents === 0;
      },
      { what: 'everything sealed', timeoutMs: 20_000 },
    );
  const verify = (tenantId: string) =>
    postgres.database.snapshot((manager) => verifyChain(manager, tenantId, { fromBatch: 1, mostBatches: 100 }));
  const located = (findings: readonly AuditFinding[]): string[] =>
    findings.map(({ type, eventId }) => `${type} ${eventId}`).sort();
  async function verifyExported(tenantId: string): Promise<string[]> {
    async function* lines(): AsyncGenerator<string> {
      for await (const line of exportChain(postgres.database, tenantId, 1)) yield JSON.stringify(line);
    }
    return located((await verifyExport(lines(), { trustedKeys: signer.publicKeys })).findings);
  }
  const erase = (texts: AuditTexts, cause: TextErasure['cause'], limit = 100): Promise<number> =>
    postgres.database.transaction((transaction) =>
      eraseTexts(
        transaction,
        { texts, cause, requestId: randomUUID(), targetType: 'tenant', targetId: texts.tenantId },
        limit,
      ),
    );
  /** As somebody who writes to the database: the triggers let a text go. */
  const takeAway = (...ids: string[]): Promise<unknown> =>
    postgres.database.read((manager) =>
      manager.query('UPDATE audit_events SET erasable = NULL, erasable_salt = NULL WHERE id = ANY ($1)', [ids]),
    );

  it('that somebody took away in the database are found, in the chain and in an export', async () => {
    const tenantId = randomUUID();
    const [first, second] = await ask(tenantId, randomUUID(), randomUUID());
    await sealAll(tenantId);
    expect(await verify(tenantId)).toMatchObject({ intact: true, erasedEvents: 0 });
    await takeAway(second ?? '');
    const { intact, findings, erasedEvents } = await verify(tenantId);
    expect({ intact, erasedEvents, found: located(findings) }).toEqual({
      intact: false,
      erasedEvents: 1,
      found: [`erasure_unrecorded ${second}`],
    });
    expect(await verifyExported(tenantId)).toEqual([`erasure_unrecorded ${second}`]);
    await takeAway(first ?? '');
    expect(await verifyExported(tenantId)).toHaveLength(2);
  });

  it('of a person go with a record in the same commit, which covers no one else and nothing later', async () => {
    const tenantId = randomUUID();
    const [person, other] = [randomUUID(), randomUUID()];
    const [, , third] = await ask(tenantId, person, person, other);
    await sealAll(tenantId);
    expect(await erase({ tenantId, apiKeyIds: [person] }, 'person', 1)).toBe(1);
    expect(await erase({ tenantId, apiKeyIds: [person] }, 'person')).toBe(1);
    expect(await erase({ tenantId, apiKeyIds: [person] }, 'person')).toBe(0);
    // The record counts from its commit on; an export takes only what is sealed.
    expect(await verify(tenantId)).toMatchObject({ intact: true, erasedEvents: 2, unsealedEvents: 2 });
    expect(await verifyExported(tenantId)).toHaveLength(2);
    await sealAll(tenantId);
    expect(await verifyExported(tenantId)).toEqual([]);

    await takeAway(third ?? '');
    const [later] = await ask(tenantId, person);
    await sealAll(tenantId);
    await takeAway(later ?? '');
    const expected = [`erasure_unrecorded ${later}`, `erasure_unrecorded ${third}`].sort();
    expect(located((await verify(tenantId)).findings)).toEqual(expected);
    expect(await verifyExported(tenantId)).toEqual(expected);
  });

  it('that are kept no longer go with a record of how far, the last of which says it for all', async () => {
    const tenantId = randomUUID();
    const [first, second] = await ask(tenantId, randomUUID(), randomUUID());
    await sealAll(tenantId);
    const before = new Date(Date.now() + 1_000);
    expect(await erase({ tenantId, before }, 'retention', 1)).toBe(1);
    expect(await erase({ tenantId, before: new Date(before.getTime() + 1_000) }, 'retention')).toBe(1);
    await sealAll(tenantId);
    expect([await verify(tenantId), await verifyExported(tenantId)]).toMatchObject([
      { intact: true, erasedEvents: 2 },
      [],
    ]);
    const { rows } = await postgres.database.read((manager) =>
      readAuditEvents(manager, tenantId, { action: 'audit.erase', limit: 10 }),
    );
    expect(rows.map(({ metadata, actorType }) => ({ actorType, ...metadata }))).toEqual([
      expect.objectContaining({ actorType: 'service', cause: 'retention', apiKeyIds: null, events: 1 }),
      { actorType: 'service', cause: 'retention', apiKeyIds: null, before: before.toISOString(), events: 1 },
    ]);
    expect([first, second]).not.toContain(rows[0]?.id);
  });
});
