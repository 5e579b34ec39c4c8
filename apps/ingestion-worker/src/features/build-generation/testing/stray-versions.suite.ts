import { expect, it } from '@jest/globals';
import type { IngestDocument } from '@candor/contracts';
import { toIndex } from '../../index-item/live-generations.service.js';
import type { GenerationHarness } from './generation-harness.js';

/** Part of the suite of builds: `before` is the worker whose model the live index has. */
export function testStrayVersions(
  workers: () => { before: GenerationHarness; worker: GenerationHarness },
  plan: (externalId: string, body: string) => IngestDocument,
): void {
  it('repairs what was written of a version that never went live', async () => {
    const { before, worker } = workers();
    const served = await before.add(plan('served', 'The plan is old.'));
    const other = await before.accept(plan('other', 'Never live.'));
    const live = await before.live();
    const { address } = toIndex(live);
    const [found] = await before.chunks(live.id);
    if (!found) throw new Error('there is no chunk');
    const chunk = { ...found, vector: new Float32Array(16).fill(0.25) };
    await before.accept(plan('served', 'The plan is new.'));
    const strays = [
      { ...chunk, version: 2, chunkId: '00000000-0000-4000-8000-00000000aaaa' },
      { ...chunk, itemId: other.itemId, chunkId: '00000000-0000-4000-8000-00000000bbbb' },
    ];
    await before.writer.apply(
      address,
      strays.map((stray) => ({
        kind: 'put-version' as const,
        itemId: stray.itemId,
        version: stray.version,
        recordedAt: stray.recordedAt,
        chunks: [stray],
      })),
    );
    // As long as they are in work, they may well go live.
    expect(await worker.reconcile(live.id)).toMatchObject({ report: null });
    await worker.query(
      `UPDATE item_versions SET state = 'failed' WHERE tenant_id = $1 AND state IN ('accepted', 'extracting', 'indexing')`,
      [worker.tenantId],
    );
    expect(await worker.reconcile(live.id)).toMatchObject({ report: { missing: 0, outdated: 1, dangling: 1 } });
    expect((await worker.chunks(live.id)).map(({ itemId, version }) => [itemId, version])).toEqual([
      [served.itemId, 1],
    ]);
    expect(await worker.countItem(live, served)).toBe(1);
    expect(await worker.countItem(live, other)).toBe(0);
    expect(await worker.reconcile(live.id)).toMatchObject({ report: null });
  });
}
