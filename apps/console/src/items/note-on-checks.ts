import type { CitationCheck } from '@candor/contracts';

const REASONS = {
  not_found: 'These words are not in the passage any more; it is marked as a whole.',
  elsewhere_in_item: 'The source says so, in another place than this passage.',
  version_changed: 'The source has changed since: its present version does not say this any more.',
  unknown_chunk: 'This passage is gone, or this key may not see it.',
  unknown_version: 'The source has no version with that content.',
  empty_quotation: 'Nothing was quoted; the passage is marked as a whole.',
} as const;

/** The same where other words of the passage are marked, one by one. */
const BESIDE_OTHERS: Readonly<Partial<Record<keyof typeof REASONS, string>>> = {
  not_found: 'Some of the words are not in the passage any more; the others are marked.',
  empty_quotation: 'One quotation is empty; the others are marked.',
};

/** What to say about quotations that were looked up, each remark once; nothing about those that stand there as quoted. */
export function noteOnChecks(checks: readonly CitationCheck[], isAnyMarked: boolean): string[] {
  const notes = checks.flatMap(({ status, reason = 'not_found' }) => {
    if (status === 'verified') return [];
    if (status === 'repaired') return ['Quotes, dashes or case differ; the marked words are the source’s own.'];
    return [(isAnyMarked ? BESIDE_OTHERS[reason] : undefined) ?? REASONS[reason]];
  });
  return [...new Set(notes)];
}
