import { expect, it } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import {
  claimIdempotencyKey,
  deleteOldIdempotencyRecords,
  releaseIdempotencyKey,
  storeIdempotentResponse,
  type IdempotencyClaim,
} from './idempotency.repository.js';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';

describeOnPostgres('idempotency records', (postgres) => {
  const claim = (apiKeyId: string, digest = 'd1', key = 'k'): Promise<IdempotencyClaim> =>
    postgres.database.read((manager) => claimIdempotencyKey(manager, apiKeyId, key, digest));
  const store = (apiKeyId: string, body: unknown, status = 202): Promise<void> =>
    postgres.database.read((manager) => storeIdempotentResponse(manager, apiKeyId, 'k', { status, body }));
  const change = (apiKeyId: string, assignment: string): Promise<unknown> =>
    postgres.database.read((manager) =>
      manager.query(`UPDATE idempotency_records SET ${assignment} WHERE api_key_id = $1`, [apiKeyId]),
    );

  it('are claimed by one, and replayed to whoever sends the same again', async () => {
    const apiKeyId = randomUuid();
    const claims = await Promise.all([claim(apiKeyId), claim(apiKeyId), claim(apiKeyId)]);
    expect(claims.map((result) => result.kind).sort()).toEqual(['claimed', 'in_progress', 'in_progress']);
    await store(apiKeyId, { items: [1, 'ä', null] });
    expect(await claim(apiKeyId)).toEqual({ kind: 'replay', status: 202, body: { items: [1, 'ä', null] } });
    expect(await claim(apiKeyId, 'd2')).toEqual({ kind: 'other_request' });
    expect(await claim(apiKeyId, 'd1', 'other')).toEqual({ kind: 'claimed' });
    expect(await claim(randomUuid())).toEqual({ kind: 'claimed' });
  });

  it.each([
    [undefined, null],
    [null, null],
    ['text', 'text'],
    [[], []],
  ])('hold a response of %j', async (body, expected) => {
    const apiKeyId = randomUuid();
    await claim(apiKeyId);
    await store(apiKeyId, body, 204);
    expect(await claim(apiKeyId)).toEqual({ kind: 'replay', status: 204, body: expected });
  });

  it('are free again after a request that changed nothing, and not after one that did', async () => {
    const apiKeyId = randomUuid();
    const release = (): Promise<void> =>
      postgres.database.read((manager) => releaseIdempotencyKey(manager, apiKeyId, 'k'));
    await claim(apiKeyId);
    await release();
    expect(await claim(apiKeyId, 'd2')).toEqual({ kind: 'claimed' });
    await store(apiKeyId, {});
    await release();
    expect(await claim(apiKeyId, 'd2')).toMatchObject({ kind: 'replay' });
  });

  it('are free again when the process that had them died', async () => {
    const apiKeyId = randomUuid();
    await claim(apiKeyId);
    expect(await claim(apiKeyId, 'd2')).toEqual({ kind: 'other_request' });
    await change(apiKeyId, `locked_until = now() - interval '1 second'`);
    expect(await claim(apiKeyId, 'd2')).toEqual({ kind: 'claimed' });
    expect(await claim(apiKeyId, 'd2')).toEqual({ kind: 'in_progress' });
  });

  it('are kept for a day', async () => {
    const [old, young] = [randomUuid(), randomUuid()];
    for (const apiKeyId of [old, young]) {
      await claim(apiKeyId);
      await store(apiKeyId, { first: true });
    }
    await change(young, `created_at = now() - interval '23 hours 59 minutes'`);
    await change(old, `created_at = now() - interval '24 hours 1 minute'`);
    expect(await claim(young, 'd2')).toEqual({ kind: 'other_request' });
    expect(await claim(old, 'd2')).toEqual({ kind: 'claimed' });
    expect(await claim(old, 'd2')).toEqual({ kind: 'in_progress' });

    await change(old, `created_at = now() - interval '25 hours'`);
    await postgres.database.read((manager) => deleteOldIdempotencyRecords(manager));
    const left: { api_key_id: string }[] = await postgres.database.read((manager) =>
      manager.query('SELECT api_key_id FROM idempotency_records WHERE api_key_id = ANY($1::uuid[])', [[old, young]]),
    );
    expect(left).toEqual([{ api_key_id: young }]);
  });
});
