import type { AuditEventView } from '@candor/contracts';
import { percentile, readLatencies } from './read-latencies.js';

const event = (createdAt: string, metadata: AuditEventView['metadata']): AuditEventView =>
  ({
    id: 'e',
    requestId: `r-${createdAt}`,
    action: 'context.retrieve',
    outcome: 'succeeded',
    actorApiKeyId: null,
    actorType: 'admin',
    targetType: null,
    targetId: null,
    metadata,
    createdAt,
  }) as AuditEventView;

describe('readLatencies', () => {
  it('reads a search and the search of a question, oldest first', () => {
    const events = [
      event('2026-05-01T00:00:03Z', { retrieval: { tookMs: { total: 56.6 } } }),
      event('2026-05-01T00:00:01Z', { tookMs: { total: 48.2, embed: 37 } }),
    ];
    expect(readLatencies(events)).toEqual([
      { at: '2026-05-01T00:00:01Z', requestId: 'r-2026-05-01T00:00:01Z', totalMs: 48.2 },
      { at: '2026-05-01T00:00:03Z', requestId: 'r-2026-05-01T00:00:03Z', totalMs: 56.6 },
    ]);
  });

  it('leaves out events that nothing was searched in', () => {
    const empty: AuditEventView['metadata'][] = [{}, { tookMs: 5 }, { tookMs: { total: 'x' } }, { retrieval: [] }];
    expect(readLatencies(empty.map((metadata) => event('2026-05-01T00:00:00Z', metadata)))).toEqual([]);
  });
});

describe('percentile', () => {
  it('is the nearest rank', () => {
    expect(percentile([5, 1, 3, 2, 4], 0.5)).toBe(3);
    expect(percentile([5, 1, 3, 2, 4], 0.95)).toBe(5);
    expect(percentile([7], 0.5)).toBe(7);
    expect(percentile([], 0.5)).toBeUndefined();
  });
});
