import type { ContextContract11 } from '@candor/contracts';
import { formatCount, formatDate, formatDuration } from '../words/format.js';
import { PROVIDER_NAMES } from '../words/provider-names.js';

type Exclusion = ContextContract11['exclusions'][number];
type Hit = ContextContract11['hits'][number];
type Limitation = ContextContract11['limitations'][number];

interface ExclusionWords {
  title: string;
  /** What it means for who reads the hits. */
  meaning: string;
  /** Whether something is missing that should be there; else it was left out as it should be. */
  isDefect: boolean;
}

/** Complete by its type: a new reason for leaving something out has words before it compiles. */
export const EXCLUSION_WORDS: Readonly<Record<Exclusion['type'], ExclusionWords>> = {
  provider_scope: {
    title: 'Not for this key',
    meaning: 'The key may not read this provider, so nothing of it was looked at.',
    isDefect: false,
  },
  no_results: {
    title: 'Nothing found',
    meaning: 'The provider was searched, and nothing in it fits the question.',
    isDefect: false,
  },
  relevance_floor: {
    title: 'Not relevant enough',
    meaning: 'Found, but too far from the question to count as context.',
    isDefect: false,
  },
  superseded: {
    title: 'Replaced by something newer',
    meaning: 'A newer item or version declares that it takes the place of these.',
    isDefect: false,
  },
  not_yet_known: {
    title: 'Not known at that time',
    meaning: 'Recorded only after the time that you asked about.',
    isDefect: false,
  },
  access_unknown: {
    title: 'Access unclear',
    meaning: 'Nobody could say who may see these, so keys of single people do not get them.',
    isDefect: true,
  },
  source_stale: {
    title: 'Source is behind',
    meaning: 'The last sync is older than it should be: newer content may exist.',
    isDefect: true,
  },
  source_error: {
    title: 'Source has errors',
    meaning: 'The last sync failed, or could not read some items: they are missing here.',
    isDefect: true,
  },
  duplicate: {
    title: 'The same text again',
    meaning: 'Copies of a hit that is shown already.',
    isDefect: false,
  },
};

const COUNTED_SOURCES = new Set<Exclusion['type']>(['source_stale']);

/** `3 items of Slack`, `Slack`, or nothing where neither is known. */
export function describeExtent({ type, provider, count }: Exclusion): string {
  const name = provider === null ? null : PROVIDER_NAMES[provider];
  if (count === null) return name ?? '';
  const counted = formatCount(count, COUNTED_SOURCES.has(type) ? 'source' : 'item');
  return name === null ? counted : `${counted} of ${name}`;
}

export const LIMITATION_TITLES: Readonly<Record<Limitation['code'], string>> = {
  no_context: 'No context',
  provider_scope_applied: 'Narrowed to what the key may read',
  missing_sync_timestamp: 'Unknown age',
  missing_source_access_policy: 'Unknown access',
};

export function describeFreshness(freshness: Hit['freshness']): string {
  if (freshness === null) return 'nobody knows when it was synced';
  return freshness.ageHours < 0.05 ? 'synced just now' : `synced ${formatDuration(freshness.ageHours * 3_600)} ago`;
}

/** undefined = nothing is declared that a reader had to know. */
export function describeValidity({ validFrom, validUntil, state }: Hit['validity']): string | undefined {
  switch (state) {
    case 'not_yet_valid':
      return `not in force before ${formatDate(validFrom)}`;
    case 'expired':
      return `expired on ${formatDate(validUntil)}`;
    case 'valid':
      return validUntil === null ? undefined : `in force until ${formatDate(validUntil)}`;
  }
}

/** One sentence that says what the contract says. */
export function summarizeContract({ hits, exclusions }: Pick<ContextContract11, 'hits' | 'exclusions'>): string {
  const found = hits.length === 0 ? 'Nothing relevant was found' : `${formatCount(hits.length, 'hit')} found`;
  if (exclusions.length === 0) return `${found}; nothing was left out.`;
  const defects = exclusions.filter(({ type }) => EXCLUSION_WORDS[type].isDefect).length;
  const left = `${formatCount(exclusions.length, 'entry', 'entries')} about what was left out`;
  return defects === 0 ? `${found}; ${left}.` : `${found}; ${left}, ${formatNumberOf(defects)} of them a lack.`;
}

function formatNumberOf(count: number): string {
  return count === 1 ? 'one' : String(count);
}
