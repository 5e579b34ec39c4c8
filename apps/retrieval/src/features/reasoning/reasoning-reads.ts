import type { ReasoningViews } from '@candor/persistence/views';

/** What reasoning holds evidence to, as it is read here. */
export type ReasoningReads = Pick<
  ReasoningViews,
  'countItems' | 'findCalibration' | 'findVerified' | 'readModelConsent' | 'readRelationGraph' | 'readStandings'
>;
