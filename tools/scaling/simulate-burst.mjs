import { LaneShares } from '../../libs/queue/dist/lane-shares.js';

/**
 * One tenant puts a large number of documents into the outbox at once; after it small tenants put a few each. Rounds go as
 * in the dispatcher: as many rows as the workers take in a round, shared out by the product's own `LaneShares` or, for
 * comparison, first come first served.
 *
 * @param options.perSecond  documents that the workers index a second
 * @returns seconds until the median and the slowest small tenant, and the large one, are done
 */
export function simulateBurst({ large, smallTenants, small, perSecond, fair }) {
  const roundMs = 100;
  const perRound = Math.max(1, Math.round((perSecond * roundMs) / 1_000));
  const lanes = [
    { tenantId: 'large', lane: 'upload', left: large, doneAt: 0 },
    ...Array.from({ length: smallTenants }, (_, index) => ({
      tenantId: `small-${index}`,
      lane: 'upload',
      left: small,
      doneAt: 0,
    })),
  ];
  let now = 0;
  const shares = new LaneShares(() => now);
  while (lanes.some(({ left }) => left > 0)) {
    now += roundMs;
    const waiting = lanes.filter(({ left }) => left > 0);
    const allowed = fair ? shares.allocate(waiting, perRound) : firstCome(waiting, perRound);
    waiting.forEach((lane, index) => {
      const taken = Math.min(lane.left, allowed[index]);
      lane.left -= taken;
      if (lane.left === 0) lane.doneAt = now;
      for (let row = 0; row < taken; row += 1) shares.record(lane);
    });
  }
  const seconds = lanes.slice(1).map(({ doneAt }) => doneAt / 1_000);
  seconds.sort((left, right) => left - right);
  return { median: seconds[Math.floor(seconds.length / 2)], slowest: seconds.at(-1), large: lanes[0].doneAt / 1_000 };
}

function firstCome(waiting, places) {
  let free = places;
  return waiting.map(({ left }) => {
    const taken = Math.min(left, free);
    free -= taken;
    return taken;
  });
}
