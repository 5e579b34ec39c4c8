/** `ageHours` is rounded to 0.1 and never negative; null when nobody knows when the item was synced (seed 002). */
export function freshnessOf(syncedAt: Date | null, now: Date): { syncedAt: string; ageHours: number } | null {
  if (syncedAt === null) return null;
  const hours = (now.getTime() - syncedAt.getTime()) / 3_600_000;
  return { syncedAt: syncedAt.toISOString(), ageHours: Math.max(0, Math.round(hours * 10) / 10) };
}
