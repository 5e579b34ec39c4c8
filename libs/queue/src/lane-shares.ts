import { FairShares } from './fair-shares.js';

/** Where work comes from: a connector (or what is pushed of a provider) of a tenant. */
export interface Lane {
  tenantId: string;
  lane: string;
}

/** Fair shares in two steps: first among the tenants, however many lanes each has, then among a tenant's own lanes. */
export class LaneShares {
  private readonly tenants: FairShares;
  private readonly lanes: FairShares;

  constructor(now?: () => number) {
    this.tenants = new FairShares(now);
    this.lanes = new FairShares(now);
  }

  /** How many of `limit` places each lane may take, in the order given; they add up to `limit`. */
  allocate(lanes: readonly Lane[], limit: number): number[] {
    const shares = new Map<string, number>();
    const tenantIds = [...new Set(lanes.map(({ tenantId }) => tenantId))];
    const ofTenants = this.tenants.allocate(tenantIds, limit);
    tenantIds.forEach((tenantId, position) => {
      const keys = lanes.filter((lane) => lane.tenantId === tenantId).map(keyOf);
      const ofLanes = this.lanes.allocate(keys, ofTenants[position] ?? 0);
      keys.forEach((key, index) => shares.set(key, ofLanes[index] ?? 0));
    });
    return lanes.map((lane) => shares.get(keyOf(lane)) ?? 0);
  }

  /** One place was taken. */
  record(lane: Lane): void {
    this.tenants.record(lane.tenantId, 1);
    this.lanes.record(keyOf(lane), 1);
  }

  /** Who took so much lately that it gives way: the lane itself, its tenant through others of its lanes, or neither. */
  findHeavy(lane: Lane): 'lane' | 'tenant' | null {
    if (this.lanes.isHeavy(keyOf(lane))) return 'lane';
    return this.tenants.isHeavy(lane.tenantId) ? 'tenant' : null;
  }
}

function keyOf({ tenantId, lane }: Lane): string {
  return `${tenantId} ${lane}`;
}
