import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runRedisCommand } from '@candor/testkit';
import { startBehindProxies, type FaultyWorld } from '../harness/start-behind-proxies.js';
import { findServices } from '../harness/start-distributed.js';
import { describeScale } from '../suites/faults/scale.suite.js';

const ITEMS = Number(process.env['CANDOR_SCALE_ITEMS'] ?? 20_000);
const services = findServices(process.env);

if (services === 'incomplete') {
  it.skip('scale', () => undefined);
} else {
  describe('scale', () => {
    let world: FaultyWorld | undefined;
    beforeAll(async () => {
      // No model: what is measured is everything around it.
      world = await startBehindProxies(services, 14, { env: { CANDOR_DEMO: 'off', EMBEDDINGS_MODEL: 'hashing' } });
    }, 300_000);
    afterAll(async () => {
      expect(await world?.stop()).toEqual([]);
    }, 180_000);
    const worldOf = (): FaultyWorld => {
      if (!world) throw new Error('the profile did not start');
      return world;
    };
    describeScale(worldOf, {
      items: ITEMS,
      isMeasured: true,
      loseRedis: async () => {
        await worldOf().redis.cut();
        await runRedisCommand(worldOf().redisUrl, 'FLUSHDB');
        await worldOf().redis.restore();
      },
    });
  });
}
