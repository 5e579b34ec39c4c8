import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ExecutionContext, Type } from '@nestjs/common';
import { from, lastValueFrom } from 'rxjs';
import { AppError, type ErrorCode } from '@candor/contracts';
import { completeCheck, findGeneration, findSource, insertSource, refusePromotion } from '@candor/persistence';
import {
  createTestDatabase,
  TestGenerations,
  TestTenant,
  testServerUrl,
  type TestDatabase,
} from '@candor/persistence/testing';
import { createRequestContext, routeOf, runInRequestContext } from '@candor/runtime';
import { toCaller } from '../access/caller.js';
import { ErasuresController } from '../features/erasures/erasures.controller.js';
import { ErasuresService } from '../features/erasures/erasures.service.js';
import { GenerationsController } from '../features/generations/generations.controller.js';
import { PromotionsService } from '../features/generations/promotions.service.js';
import { SourceCheckService } from '../features/sources/source-check.service.js';
import { SourcesController } from '../features/sources/sources.controller.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';
import { RequestTransaction } from './request-transaction.service.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;

interface Answer {
  body: unknown;
  replayed: boolean;
}

withPostgres('an answer that is known after the change', () => {
  let test: TestDatabase;
  let tenant: TestTenant;
  let apiKey: Awaited<ReturnType<TestTenant['addKey']>>;
  let requests: RequestTransaction;
  let interceptor: IdempotencyInterceptor;

  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
    requests = new RequestTransaction(test.database);
    interceptor = new IdempotencyInterceptor(test.database);
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    tenant = await TestTenant.create(test.database);
    apiKey = await tenant.addKey();
  });

  /** What a controller's method gives under `Idempotency-Key: once`. */
  async function send(controller: Type, method: string, work: () => Promise<unknown>): Promise<Answer> {
    let replayed = false;
    const response = {
      status: () => response,
      setHeader: (name: string) => {
        replayed ||= name === 'Idempotency-Replayed';
        return response;
      },
    };
    const request = { headers: { 'idempotency-key': 'once' }, method: 'POST', path: method, body: null };
    const execution = {
      getHandler: () => (controller.prototype as Record<string, unknown>)[method],
      switchToHttp: () => ({ getRequest: () => request, getResponse: () => response }),
    } as unknown as ExecutionContext;
    const route = routeOf(execution);
    if (!route) throw new Error('no route');
    const ofTenant = { id: tenant.id, name: 'Test', quotas: {}, erasedAt: null, isDefault: false };
    const caller = toCaller(apiKey, ofTenant as Parameters<typeof toCaller>[1]);
    const context = createRequestContext(randomUUID(), {
      apiKey: caller,
      caller: caller.scope,
      route,
      audit: { metadata: {}, committed: false },
    });
    return runInRequestContext(context, async () => {
      const body = await lastValueFrom(interceptor.intercept(execution, { handle: () => from(work()) }));
      return { body, replayed };
    });
  }

  /** As soon as there is something. */
  async function until<Result>(find: () => Promise<Result | null | undefined>): Promise<Result> {
    for (;;) {
      const found = await find();
      if (found) return found;
    }
  }

  describe('of a promotion', () => {
    let generations: TestGenerations;
    let id: string;
    const promote = (): Promise<Answer> =>
      send(GenerationsController, 'promote', () => new PromotionsService(test.database, requests).promote(id));
    const asked = (): Promise<string> =>
      until(async () => {
        const found = await test.database.read((manager) => findGeneration(manager, tenant.id, id));
        return found?.promotion?.outcome === null ? found.promotion.runId : null;
      });
    beforeEach(async () => {
      generations = new TestGenerations(tenant);
      id = await generations.ready();
    });

    it('is what is answered again: that it is live', async () => {
      const promoting = promote();
      await asked();
      await expect(promote()).rejects.toMatchObject({ code: 'IDEMPOTENCY.IN_PROGRESS' });
      await generations.promote(id);
      await test.database.read((manager) =>
        manager.query(`UPDATE generations SET promotion = promotion || '{"outcome":"promoted"}' WHERE id = $1`, [id]),
      );
      const first = await promoting;
      expect(first).toMatchObject({ body: { data: { state: 'live' } }, replayed: false });
      expect(await promote()).toEqual({ body: first.body, replayed: true });
    });

    it('frees the key when it is a refusal', async () => {
      const refuse = async (code: ErrorCode): Promise<void> => {
        const promoting = promote().catch((error: unknown) => error);
        const runId = await asked();
        await test.database.transaction((transaction) => refusePromotion(transaction, id, runId, new AppError(code)));
        expect(await promoting).toMatchObject({ code });
      };
      await refuse('GENERATION.MAPPING_DRIFT');
      await refuse('GENERATION.INCOMPLETE');
    });
  });

  it('is what a check of a source found', async () => {
    const id = await test.database.transaction((transaction) =>
      insertSource(
        transaction,
        tenant.id,
        {
          provider: 'slack',
          name: 'Workspace',
          settings: {},
          credentialFields: [],
          syncEveryMinutes: null,
          reconcileEveryMinutes: null,
        },
        () => ({ keyId: 'k', ciphertext: Buffer.from('c') }),
      ),
    );
    const check = (): Promise<Answer> =>
      send(SourcesController, 'check', () => new SourceCheckService(test.database, requests).check(id));
    const viewer = { tenantId: tenant.id, providers: null, principals: null };
    const checking = check();
    const begun = await until(async () => {
      const source = await test.database.read((manager) => findSource(manager, viewer, id));
      return source?.lastCheck;
    });
    const found = { status: 'ok', account: 'acme', error: null, checkedAt: new Date().toISOString() } as const;
    await test.database.transaction((transaction) => completeCheck(transaction, id, { id: begun.id, ...found }));
    expect(await checking).toEqual({ body: { data: found }, replayed: false });
    expect(await check()).toEqual({ body: { data: found }, replayed: true });
  });

  it.each([true, false])('is what an erasure begins with, without whom it is of: dry run %s', async (dryRun) => {
    const body = { kind: 'person', apiKeyIds: [], authorNames: ['Ada Lovelace'], dryRun } as const;
    const erase = (): Promise<Answer> =>
      send(ErasuresController, 'create', () =>
        new ErasuresService(test.database, requests).erasePerson({
          ...body,
          apiKeyIds: [],
          authorNames: ['Ada Lovelace'],
        }),
      );
    const first = await erase();
    expect(first).toMatchObject({ body: { data: { found: { audit_texts: 0 } } }, replayed: false });
    expect(await erase()).toEqual({ body: first.body, replayed: true });
    const rows = await test.database
      .system('tenants')
      .read((manager) =>
        manager.query('SELECT response_body FROM idempotency_records WHERE api_key_id = $1', [apiKey.id]),
      );
    expect(JSON.stringify(rows)).not.toContain('Ada');
    const begun = await test.database
      .system('tenants')
      .read((manager) => manager.query('SELECT 1 FROM erasures WHERE tenant_id = $1', [tenant.id]));
    expect(begun).toHaveLength(dryRun ? 0 : 1);
  });
});
