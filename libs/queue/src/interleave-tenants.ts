/**
 * Round-robin over tenants, each tenant's own order kept, at most `window` rows of one tenant: the rest is left over
 * for a later round. Tenants come in the order of their first row.
 */
export function interleaveTenants<Row extends { tenantId: string }>(
  rows: readonly Row[],
  window: number,
): { order: Row[]; leftOver: Row[] } {
  const byTenant = new Map<string, Row[]>();
  for (const row of rows) byTenant.set(row.tenantId, [...(byTenant.get(row.tenantId) ?? []), row]);
  const order: Row[] = [];
  for (let turn = 0; turn < window; turn += 1) {
    for (const tenantRows of byTenant.values()) {
      const row = tenantRows[turn];
      if (row) order.push(row);
    }
  }
  return { order, leftOver: [...byTenant.values()].flatMap((tenantRows) => tenantRows.slice(window)) };
}
