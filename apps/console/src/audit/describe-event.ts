import type { AuditAction, AuditEventView } from '@candor/contracts';

/** What people look for; every other action is found by its request id. */
export const ACTION_FILTERS: Readonly<Record<string, string>> = {
  '': 'Everything',
  ...({
    'reason.answer': 'Questions answered or refused',
    'reasoning.query': 'Reasoning runs',
    'context.retrieve': 'Context contracts',
    'search.query': 'Searches',
    'access.denied': 'Refused access',
    'document.create': 'Documents added',
    'item.fail': 'Items that failed',
    'item.deleted': 'Delete certificates',
    'dead_letter.retry': 'Dead letters tried again',
    'api_key.create': 'Keys created',
    'api_key.rotate': 'Keys rotated',
    'api_key.revoke': 'Keys revoked',
    'source.create': 'Sources connected',
    'source.delete': 'Sources removed',
    'generation.promote': 'Generations promoted',
    'audit.read': 'Readings of this trail',
  } satisfies Partial<Record<AuditAction, string>>),
};

/** The facts of an event worth reading at a glance; the whole of it is one click away. */
export function pickFacts({ metadata }: Pick<AuditEventView, 'metadata'>): Record<string, string | number> {
  const facts: Record<string, string | number> = {};
  const add = (name: string, value: unknown): void => {
    if (typeof value === 'number' || (typeof value === 'string' && value !== '')) facts[name] = value;
  };
  const retrieval = asRecord(metadata['retrieval']) ?? metadata;
  add('Asked', metadata['query']);
  add('Query digest', metadata['query'] === undefined ? metadata['querySha256'] : undefined);
  add('Hits', retrieval['hits']);
  add('Passages shown to the provider', metadata['chunksGathered']);
  add('Statements kept', metadata['statementsKept']);
  add('Citations withheld', metadata['citationsDropped']);
  add('Answer provider', metadata['answerProvider']);
  add('Refused because', metadata['skipped'] ?? metadata['refusalReason']);
  add('Error', metadata['error'] ?? metadata['code']);
  const left = asRecord(retrieval['excluded']);
  if (left) for (const [type, count] of Object.entries(left)) add(`Left out (${type.replaceAll('_', ' ')})`, count);
  const took = asRecord(retrieval['tookMs'])?.['total'];
  if (typeof took === 'number') facts['Retrieval'] = `${Math.round(took)} ms`;
  return facts;
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

export const OUTCOME_TONES = {
  succeeded: 'good',
  accepted: 'accent',
  refused: 'warn',
  denied: 'warn',
  failed: 'bad',
} as const satisfies Record<AuditEventView['outcome'], string>;
