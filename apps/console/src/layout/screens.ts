import type { Action } from '@candor/contracts';

export interface ScreenEntry {
  path: string;
  name: string;
  /** What a key needs to see anything there; null = nothing but being a key. */
  action: Action | null;
}

export const SCREENS: readonly ScreenEntry[] = [
  { path: '/', name: 'Overview', action: null },
  { path: '/ask', name: 'Ask', action: 'reason' },
  { path: '/context', name: 'Context', action: 'context' },
  { path: '/sources', name: 'Sources', action: 'sources:read' },
  { path: '/ingestions', name: 'Ingestions', action: 'ingest' },
  { path: '/audit', name: 'Audit', action: 'audit:read' },
  { path: '/keys', name: 'Keys', action: 'keys:manage' },
  { path: '/generations', name: 'Generations', action: 'generations:manage' },
];
