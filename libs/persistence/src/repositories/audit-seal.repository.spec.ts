import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';
import { listErasureEvents, listExpiryEvents } from './audit-seal.repository.js';

describeOnPostgres('the records of what the trail has lost', (postgres) => {
  /** Every plan node's name of what the reading sends, where no plan but an index's is wanted. */
  async function plansOf(reading: (transaction: EntityManager, tenantId: string) => Promise<unknown>): Promise<string> {
    return postgres.database.transaction(async (transaction) => {
      await transaction.query('SET LOCAL enable_seqscan = off');
      const sent: [string, unknown[]][] = [];
      const recorder = {
        query: async (statement: string, parameters: unknown[]): Promise<unknown[]> => {
          sent.push([statement, parameters]);
          return [];
        },
      } as unknown as EntityManager;
      await reading(recorder, randomUUID());
      const plans: unknown[] = [];
      for (const [statement, parameters] of sent)
        plans.push(await transaction.query(`EXPLAIN (FORMAT JSON) ${statement}`, parameters));
      return JSON.stringify(plans);
    });
  }

  it.each([
    ['erasures', listErasureEvents, 2],
    ['expiries', listExpiryEvents, 1],
  ] as const)('are found by an index of them alone: %s', async (_what, reading, scans) => {
    const plans = await plansOf(reading);
    expect(plans.match(/"Index Name":"audit_events_records"/g)).toHaveLength(scans);
    expect(plans.match(/"Relation Name":"audit_events"/g)).toHaveLength(scans);
  });
});
