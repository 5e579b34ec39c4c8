import { sampleAtScrape } from '@candor/runtime/metrics';
import type { SealingBacklog } from '@candor/persistence';

const CACHE_MS = 15_000;

/** Whether the audit trail is sealed as it should be: within seconds, and for everybody. */
export function sampleAuditSealing(seals: { backlog: () => Promise<SealingBacklog> }): void {
  const backlog = oneReading(() => seals.backlog());
  sampleAtScrape({
    name: 'candor_audit_oldest_unsealed_seconds',
    help: 'Age of the oldest audit event that is not sealed, of the chains that are continued; 0 = all are sealed.',
    labels: ['chains'],
    cacheMs: CACHE_MS,
    read: async () => [{ labels: { chains: 'continued' }, value: (await backlog()).oldestUnsealedSeconds }],
  });
  sampleAtScrape({
    name: 'candor_audit_chains',
    help: 'Audit chains, one a tenant; broken = not continued, because its end is not one that the worker sealed.',
    labels: ['state'],
    cacheMs: CACHE_MS,
    read: async () => {
      const { continuedChains, brokenChains } = await backlog();
      return [
        { labels: { state: 'continued' }, value: continuedChains },
        { labels: { state: 'broken' }, value: brokenChains },
      ];
    },
  });
}

/** Both metrics of a scrape ask at the same time: one query answers them. */
function oneReading<Reading>(read: () => Promise<Reading>): () => Promise<Reading> {
  let underWay: Promise<Reading> | undefined;
  return () =>
    (underWay ??= read().finally(() => {
      underWay = undefined;
    }));
}
