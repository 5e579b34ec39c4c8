import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyCitationsBodySchema, type CitationCheck } from '@candor/contracts';
import {
  buildDocument,
  createTestDatabase,
  TestTenant,
  testServerUrl,
  type TestDatabase,
} from '@candor/persistence/testing';
import { createRequestContext, runInRequestContext } from '@candor/runtime';
import { VerifyCitationsService } from './verify-citations.service.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;
const MIB = 1024 * 1024;

withPostgres('verifying the largest request', () => {
  let test: TestDatabase;
  let tenant: TestTenant;
  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
    tenant = await TestTenant.create(test.database);
  });
  afterAll(() => test.drop());

  function verify(citations: { chunkId: string; quotation: string; contentHash?: string }[]): Promise<CitationCheck[]> {
    const scope = {
      tenantId: tenant.id,
      apiKeyId: randomUUID(),
      actorType: 'service',
      allowedActions: ['reason'],
      allowedProviders: null,
      principals: null,
    };
    const context = createRequestContext(randomUUID(), {
      apiKey: { scope },
      audit: { metadata: {}, committed: false, action: 'citation.verify' },
    });
    return runInRequestContext(context, () => new VerifyCitationsService(test.database).verify(citations));
  }

  /** Turns that others had in between, and the most processor time, in milliseconds, that they waited for one. */
  async function watch<Result>(work: Promise<Result>): Promise<{ result: Result; turns: number; longest: number }> {
    let [turns, longest, isOver] = [0, 0, false];
    const settled = work.finally(() => (isOver = true));
    const ticks = (async () => {
      for (let before = process.cpuUsage(); !isOver; before = process.cpuUsage()) {
        await setImmediate();
        const { user, system } = process.cpuUsage(before);
        turns += 1;
        longest = Math.max(longest, (user + system) / 1_000);
      }
    })();
    const result = await settled;
    await ticks;
    return { result, turns, longest };
  }

  it('lets others have their turn, whatever it quotes from however large a text', async () => {
    const access = { accessPolicy: { provider: 'slack', mode: 'provider_scope' } } as const;
    // Below what repairs read, and far above it.
    const bodies = [`${'abcdefgh '.repeat(50_000)}the end`, `${'lorem ipsum  '.repeat(600_000)}the very end`];
    const [small, large] = await Promise.all(
      bodies.map((body, index) => tenant.add(buildDocument({ body, externalId: `text-${index}`, ...access }))),
    );
    const hostile = [
      'AAAAAAAA '.repeat(2_000),
      Array.from({ length: 900 }, () => 'abcdefgh').join(' ... '),
      `${'abcdefgh '.repeat(2_000)}not there`,
    ];
    const citations = Array.from({ length: 50 }, (_, index) => ({
      chunkId: (index % 2 === 0 ? small! : large!).chunkId,
      quotation: hostile[index % hostile.length]!,
    }));
    citations.push({ chunkId: large!.chunkId, quotation: 'ipsum the very end' });
    const body = verifyCitationsBodySchema.parse({ citations });
    expect(JSON.stringify(body).length).toBeGreaterThan(0.75 * MIB);
    const { result, turns, longest } = await watch(verify(body.citations as typeof citations));
    expect(result.at(-1)).toMatchObject({ status: 'verified', end: bodies[1]!.length });
    expect(result.slice(0, 50).map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 'rejected'));
    expect(turns).toBeGreaterThan(50);
    // Without its bounds one such quotation takes ten times as long.
    expect(longest).toBeLessThan(1_500);
  }, 60_000);
});
