import { beforeEach, expect, it } from '@jest/globals';
import { v4 as randomUuid } from 'uuid';
import { describeOnPostgres } from '../testing/describe-on-postgres.js';
import { TestTenant } from '../testing.js';
import {
  findNewestCalibration,
  listCalibrations,
  saveCalibration,
  countCalibrationStandings,
  takeOutgrownCalibrations,
} from './calibration.repository.js';

describeOnPostgres('calibrations', (postgres) => {
  let tenant: TestTenant;
  beforeEach(async () => {
    tenant = await TestTenant.create(postgres.database);
  });
  const save = (id: string, fields: object = {}) =>
    postgres.database.transaction((transaction) =>
      saveCalibration(transaction, tenant.id, {
        id,
        generationId: tenant.generationId,
        document: { id, certified: true, corpusSize: 10, growthBound: 0.2, ...fields },
      }),
    );
  const age = (id: string, minutes: number) =>
    postgres.query(`UPDATE calibrations SET created_at = now() - make_interval(mins => $2) WHERE id = $1`, [
      id,
      minutes,
    ]);
  const grow = (items: number) =>
    postgres.query('UPDATE generations SET item_count = $2 WHERE id = $1', [tenant.generationId, items]);
  const take = async () =>
    (await postgres.database.transaction((transaction) => takeOutgrownCalibrations(transaction, 0.8))).filter(
      ({ tenantId }) => tenantId === tenant.id,
    );

  it('are listed newest first, page by page, and kept apart by tenant', async () => {
    for (const [id, minutes] of [
      ['a', 3],
      ['b', 2],
      ['c', 1],
    ] as const) {
      await save(id);
      await age(id, minutes);
    }
    const list = (cursor?: string, tenantId = tenant.id) =>
      postgres.database.read((manager) => listCalibrations(manager, tenantId, { limit: 2, cursor }));
    const first = await list();
    expect(first).toMatchObject({ rows: [{ document: { id: 'c' } }, { document: { id: 'b' } }], hasMore: true });
    expect(await list(first.cursor ?? '')).toMatchObject({ rows: [{ document: { id: 'a' } }], hasMore: false });
    expect((await list(undefined, randomUuid())).rows).toEqual([]);
    const newest = (generationId: string) =>
      postgres.database.read((manager) => findNewestCalibration(manager, tenant.id, generationId));
    expect(await newest(tenant.generationId)).toMatchObject({ document: { id: 'c' } });
    expect(await newest(randomUuid())).toBeNull();
    await save('a');
    expect(await newest(tenant.generationId)).toMatchObject({ document: { id: 'a' } });
  });

  it('are counted by what holds of the live generations', async () => {
    await postgres.query(`UPDATE generations SET status = 'retired' WHERE id <> $1`, [tenant.generationId]);
    await postgres.query(`UPDATE generations SET pipeline_fingerprint = 'p' WHERE id = $1`, [tenant.generationId]);
    const count = async () => [...(await postgres.database.read((manager) => countCalibrationStandings(manager, 0.8)))];
    expect(await count()).toEqual([['missing', 1]]);
    await save('a', { certified: false });
    expect(await count()).toEqual([['uncertified', 1]]);
    await age('a', 5);
    await save('b', { corpusSize: 100, pipelineFingerprint: 'p' });
    for (const [items, standing] of [
      [100, 'certified'],
      [115, 'certified'],
      [116, 'outgrowing'],
      [120, 'outgrowing'],
      [121, 'stale'],
    ] as const) {
      await grow(items);
      expect(await count()).toEqual([[standing, 1]]);
    }
    await grow(100);
    await postgres.query(`UPDATE generations SET pipeline_fingerprint = 'q' WHERE id = $1`, [tenant.generationId]);
    expect(await count()).toEqual([['stale', 1]]);
  });

  it('raise their alarm once, when four fifths of the growth that they allow are used up', async () => {
    await save('a');
    await grow(11);
    expect(await take()).toEqual([]);
    await grow(12);
    expect(await take()).toEqual([
      {
        tenantId: tenant.id,
        calibrationId: 'a',
        generationId: tenant.generationId,
        corpusSize: 12,
        calibratedSize: 10,
      },
    ]);
    expect(await take()).toEqual([]);
  });

  it('raise none when they certify nothing, or when a newer one holds', async () => {
    await save('a', { certified: false });
    await grow(100);
    expect(await take()).toEqual([]);
    await save('b');
    await age('b', 5);
    await save('c', { corpusSize: 100 });
    expect(await take()).toEqual([]);
  });
});
