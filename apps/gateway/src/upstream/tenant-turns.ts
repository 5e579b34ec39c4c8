/**
 * Whose turn it is among tenants: a tenant's nth request at a time waits behind everybody's requests before their nth, so
 * a flood of one delays itself and the first question of another goes to the front. Counted in this instance alone;
 * a load balancer spreads a flood over all of them.
 */
export class TenantTurns {
  private readonly underWay = new Map<string, number>();

  /** The requests of this tenant that are under way already; 0 for its first. `leave` must follow. */
  enter(tenantId: string): number {
    const before = this.underWay.get(tenantId) ?? 0;
    this.underWay.set(tenantId, before + 1);
    return before;
  }

  leave(tenantId: string): void {
    const left = (this.underWay.get(tenantId) ?? 1) - 1;
    if (left > 0) this.underWay.set(tenantId, left);
    else this.underWay.delete(tenantId);
  }
}
