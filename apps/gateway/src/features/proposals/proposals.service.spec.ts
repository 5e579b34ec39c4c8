import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { saveProposals } from '@candor/persistence';
import {
  buildDocument,
  createTestDatabase,
  TestTenant,
  testServerUrl,
  type TestDatabase,
} from '@candor/persistence/testing';
import { createRequestContext, runInRequestContext } from '@candor/runtime';
import { RequestTransaction } from '../../request/request-transaction.service.js';
import { ProposalsService } from './proposals.service.js';

const server = testServerUrl(process.env);
const withPostgres = server === null ? describe.skip : describe;

withPostgres('reviewing a proposal', () => {
  let test: TestDatabase;
  let tenant: TestTenant;
  let proposals: ProposalsService;
  let id: string;
  const document = buildDocument({ accessPolicy: { provider: 'slack', mode: 'provider_scope' } });

  beforeAll(async () => {
    test = await createTestDatabase(server ?? '');
    proposals = new ProposalsService(test.database, new RequestTransaction(test.database));
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    tenant = await TestTenant.create(test.database);
    id = randomUUID();
    const sides = [await tenant.add(document), await tenant.add(buildDocument({ ...document, externalId: 'other' }))];
    const [left, right] = sides.map(({ chunkId, itemId, version }) => ({
      chunkId,
      itemId,
      version,
      quotation: 'words',
    }));
    await test.database.transaction((transaction) =>
      saveProposals(transaction, tenant.id, [
        {
          id,
          generationId: tenant.generationId,
          kind: 'conflicting_value',
          subject: 'limit',
          explanation: '',
          confidence: 0.9,
          claims: [left!, right!],
        },
      ]),
    );
  });

  function review(state: 'approved' | 'rejected'): Promise<{ data: { state: string } }> {
    const scope = {
      tenantId: tenant.id,
      apiKeyId: randomUUID(),
      actorType: 'admin',
      allowedActions: ['proposals:review'],
      allowedProviders: null,
      principals: null,
    };
    const context = createRequestContext(randomUUID(), {
      apiKey: { scope },
      audit: { metadata: {}, committed: false, action: 'proposal.approve' },
    });
    return runInRequestContext(context, () => proposals.review(id, state, undefined));
  }

  it('approves what its documents still say', async () => {
    expect((await review('approved')).data).toMatchObject({ state: 'approved' });
    await expect(review('rejected')).rejects.toMatchObject({ code: 'RESOURCE.CONFLICT' });
  });

  it('doesn’t approve what rests on a document that has changed since, but rejects it', async () => {
    await tenant.add({ ...document, body: 'Another text.' });
    await expect(review('approved')).rejects.toMatchObject({
      code: 'RESOURCE.CONFLICT',
      message: 'One of its documents has changed since: the proposal is outdated.',
    });
    const relations: unknown[] = await test.database.read((manager) =>
      manager.query('SELECT 1 FROM reviewed_relations WHERE proposal_id = $1', [id]),
    );
    expect(relations).toEqual([]);
    expect((await review('rejected')).data).toMatchObject({ state: 'rejected' });
  });
});
