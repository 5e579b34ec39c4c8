import type { AuditEventView } from '@candor/contracts';

export interface Latency {
  at: string;
  requestId: string;
  totalMs: number;
}

/**
 * How long retrieval took, out of the audit trail's own timings, oldest first. They are of all replicas of the gateway and of
 * this tenant alone; events without timings (refused before anything was searched) are left out.
 */
export function readLatencies(events: readonly AuditEventView[]): Latency[] {
  return events
    .flatMap(({ createdAt, requestId, metadata }) => {
      const total = totalOf(metadata) ?? totalOf(asRecord(metadata['retrieval']));
      return total === undefined ? [] : [{ at: createdAt, requestId, totalMs: total }];
    })
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

function totalOf(facts: Record<string, unknown> | undefined): number | undefined {
  const total = asRecord(facts?.['tookMs'])?.['total'];
  return typeof total === 'number' && Number.isFinite(total) && total >= 0 ? total : undefined;
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** By nearest rank; undefined of nothing. */
export function percentile(values: readonly number[], share: number): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))];
}
